// SPDX-License-Identifier: Apache-2.0
/// `mneme rm`: removes recordings by name.
#include <cstdio>
#include <memory>

#include "command.h"
#include "format/collect.h"
#include "format/recording_set.h"
#include "set_text.h"
#include "text.h"

namespace mneme::cli {
namespace {

int removeAll(const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> paths;
  for (const auto& name : names)  // a shell's SET/*.json names the set's own files, too; they stay
    if (names.size() == 1 || !format::isSetFile(name)) paths.emplace_back(name);
  if (paths.empty()) paths.emplace_back(names.front());
  auto freed = format::removeRecordings(paths);
  if (!freed) return report(freed.error());
  std::printf("removed %zu, %s freed; `mneme gc` frees what other recordings of the same pack still hold\n", paths.size(),
              sizeText(*freed).c_str());
  return kPass;
}

}  // namespace

std::function<int()> setupRm(CLI::App& app) {
  auto names = std::make_shared<std::vector<std::string>>();
  app.add_option("REC", *names, "manifests of the recordings to remove")->required();
  app.footer("Removes nothing if one of them is not a recording.\nExample:\n  mneme rm recordings/stencil.1a2b3c4d.json");
  return [names] { return removeAll(*names); };
}

}  // namespace mneme::cli
