// SPDX-License-Identifier: Apache-2.0
/// Libraries of vendors hold gigabytes of images: files are looked at one after another, up to the first that has it.
#include "replay/shipped_image.h"

#include <set>

#include "code/fatbin.h"
#include "code/needed_files.h"

namespace mneme::replay {
namespace {

/// As the file spells it: the very name, else the only one that answers to it (nvcc puts a hash into the names of static
/// kernels). Empty if there is none, or more than one.
std::string spelling(const code::FatBinaries& binaries, const std::string& kernel) {
  std::set<std::string> similar;
  for (const auto& entry : binaries.entries())
    for (const auto& candidate : entry.kernels) {
      if (candidate == kernel) return kernel;
      if (matchNames(kernel, candidate) == NameMatch::Normalised) similar.insert(candidate);
    }
  return similar.size() == 1 ? *similar.begin() : std::string();
}

}  // namespace

Expected<std::optional<SelectedCode>> shippedImage(const std::filesystem::path& binary, const std::string& kernel,
                                                   const std::string& architecture) {
  for (const auto& file : code::neededFiles(binary)) {
    const auto binaries = code::FatBinaries::open(file);
    if (!binaries || binaries->entries().empty()) continue;
    const std::string name = spelling(*binaries, kernel);
    if (name.empty()) continue;
    const auto entries = binaries->find(name, CodeKind::Image, architecture);
    if (entries.empty()) continue;
    auto bytes = binaries->code(*entries.front());
    if (!bytes) return std::move(bytes).error().context(file.string());
    SelectedCode found;
    found.code = {CodeKind::Image, std::move(*bytes), name};
    found.kernel = name;
    found.origin = "current build";
    found.architecture = entries.front()->architecture;
    return std::optional(std::move(found));
  }
  return std::optional<SelectedCode>();
}

}  // namespace mneme::replay
