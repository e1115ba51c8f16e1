// SPDX-License-Identifier: Apache-2.0
/// `mneme import`: an exported file back into a set.
#include <cstdio>
#include <memory>

#include "command.h"
#include "format/archive.h"

namespace mneme::cli {
namespace {

struct ImportOptions {
  std::string file, set = "recordings";
};

int import(const ImportOptions& options) {
  auto imported = format::importRecordings(options.file, options.set);
  if (!imported) return report(imported.error());
  for (const auto& path : imported->manifests) std::puts(path.c_str());
  std::printf("replaced %llu, added %llu\n", static_cast<unsigned long long>(imported->replaced),
              static_cast<unsigned long long>(imported->manifests.size() - imported->replaced));
  return kPass;
}

}  // namespace

std::function<int()> setupImport(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  app.add_option("FILE", options->file, "a file made by `mneme export`")->required();
  app.add_option("-o,--output", options->set, "directory of the recording set")->capture_default_str();
  app.footer("A recording holds code: replaying it runs a program of whoever made it.\nExample:\n  mneme import stencil.mneme -o recordings");
  return [options] { return import(*options); };
}

}  // namespace mneme::cli
