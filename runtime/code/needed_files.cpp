// SPDX-License-Identifier: Apache-2.0
#include "code/needed_files.h"

#include <set>
#include <system_error>

#include "base/file.h"
#include "code/elf_file.h"
#include "code/library_search.h"

namespace mneme::code {
namespace {
namespace fs = std::filesystem;

/// A file, and the DT_RPATHs of the chain that leads to it.
struct Visit {
  fs::path path;
  std::vector<fs::path> inherited;
};

std::vector<Visit> neededBy(const Visit& visit, const LibrarySearch& search) {
  std::vector<Visit> needed;
  const auto file = MappedFile::open(visit.path);
  if (!file || !isElf(file->bytes())) return needed;
  const auto info = dynamicInfo(file->bytes());
  if (!info) return needed;
  std::vector<fs::path> chain = expandRunPath(info->rpath, visit.path);
  chain.insert(chain.end(), visit.inherited.begin(), visit.inherited.end());
  for (const std::string& name : info->needed)
    if (auto found = search.find(name, visit.path, *info, chain); !found.empty()) needed.push_back({std::move(found), chain});
  return needed;
}

}  // namespace

std::vector<fs::path> neededFiles(const fs::path& binary) {
  const LibrarySearch search;
  std::vector<Visit> visits{{binary, {}}};
  std::set<fs::path> seen;
  for (size_t at = 0; at < visits.size(); ++at)
    for (Visit& next : neededBy(visits[at], search)) {
      std::error_code failed;
      const fs::path real = fs::canonical(next.path, failed);
      if (!failed && seen.insert(real).second) visits.push_back(std::move(next));
    }
  std::vector<fs::path> files;
  for (Visit& visit : visits) files.push_back(std::move(visit.path));
  return files;
}

}  // namespace mneme::code
