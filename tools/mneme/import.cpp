// SPDX-License-Identifier: Apache-2.0
/// `mneme import`: an exported file back into a set.
#include <cstdio>
#include <memory>

#include "command.h"
#include "format/archive.h"

namespace mneme::cli {
namespace {

struct ImportOptions {
  std::string file, set = "recordings", tolerances = "refuse";
};

format::OnConflict conflictOf(const std::string& name) {
  return name == "keep" ? format::OnConflict::Keep : name == "take" ? format::OnConflict::Take : format::OnConflict::Refuse;
}

int import(const ImportOptions& options) {
  auto imported = format::importRecordings(options.file, options.set, conflictOf(options.tolerances));
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
  app.add_option("--tolerances", options->tolerances,
                 "where the file and the set's tolerance.json contradict each other: refuse to import, keep the set's, or take the file's")
      ->capture_default_str()->check(CLI::IsMember({"refuse", "keep", "take"}));
  app.footer("A recording holds code: replaying it runs a program of whoever made it.\nExample:\n  mneme import stencil.mneme -o recordings");
  return [options] { return import(*options); };
}

}  // namespace mneme::cli
