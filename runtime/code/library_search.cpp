// SPDX-License-Identifier: Apache-2.0
/// The order of ld.so(8): DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the system's directories.
#include "code/library_search.h"

#include <glob.h>

#include <cstdlib>
#include <deque>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace mneme::code {
namespace {

namespace fs = std::filesystem;

void replaceAll(std::string& text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::vector<fs::path> splitPath(const std::string& paths) {
  std::vector<fs::path> directories;
  std::istringstream stream(paths);
  for (std::string entry; std::getline(stream, entry, ':');) directories.emplace_back(entry.empty() ? "." : entry);
  return directories;
}

std::vector<fs::path> globbed(const std::string& pattern) {
  glob_t matches{};
  std::vector<fs::path> files;
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0)
    for (size_t i = 0; i < matches.gl_pathc; ++i) files.emplace_back(matches.gl_pathv[i]);
  globfree(&matches);
  return files;
}

void addConfigured(const fs::path& file, int depth, std::vector<fs::path>& directories) {
  const auto text = readText(file, 1u << 20);
  if (!text || depth > 4) return;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word)) continue;
    if (word != "include") {
      directories.emplace_back(word);
      continue;
    }
    while (words >> word)
      for (const fs::path& included : globbed(file.parent_path() / word))
        addConfigured(included, depth + 1, directories);
  }
}

fs::path firstExisting(const std::vector<fs::path>& directories, const std::string& name) {
  for (const fs::path& directory : directories) {
    std::error_code ignored;
    if (fs::is_regular_file(directory / name, ignored)) return directory / name;
  }
  return {};
}

/// A file to look at, and the DT_RPATHs of the chain that leads to it.
struct Visit {
  fs::path path;
  std::vector<fs::path> inherited;
};

void queueNeeded(const Visit& from, const DynamicInfo& info, const LibrarySearch& search, std::set<fs::path>& seen,
                 std::deque<Visit>& queue) {
  std::vector<fs::path> chain = expandRunPath(info.rpath, from.path);
  chain.insert(chain.end(), from.inherited.begin(), from.inherited.end());
  for (const std::string& name : info.needed) {
    const fs::path found = search.find(name, from.path, info, chain);
    std::error_code failed;
    const fs::path real = fs::canonical(found, failed);
    if (!found.empty() && !failed && seen.insert(real).second) queue.push_back({found, chain});
  }
}

}  // namespace

std::vector<fs::path> expandRunPath(const std::string& paths, const fs::path& binary) {
  std::error_code failed;
  const fs::path real = fs::canonical(binary, failed);
  const std::string origin = (failed ? binary : real).parent_path().string();
  std::vector<fs::path> directories;
  if (paths.empty()) return directories;
  for (const fs::path& entry : splitPath(paths)) {
    std::string text = entry.string();
    replaceAll(text, "${ORIGIN}", origin);
    replaceAll(text, "$ORIGIN", origin);
    directories.emplace_back(text);
  }
  return directories;
}

LibrarySearch::LibrarySearch() {
  if (const char* paths = std::getenv("LD_LIBRARY_PATH"); paths && *paths) environment_ = splitPath(paths);
  addConfigured("/etc/ld.so.conf", 0, system_);
  for (const char* directory : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) system_.emplace_back(directory);
}

fs::path LibrarySearch::find(const std::string& name, const fs::path& binary, const DynamicInfo& info,
                             const std::vector<fs::path>& inherited) const {
  if (name.find('/') != std::string::npos) return firstExisting({"."}, name);
  if (info.runpath.empty())
    if (fs::path found = firstExisting(inherited, name); !found.empty()) return found;
  if (fs::path found = firstExisting(environment_, name); !found.empty()) return found;
  if (fs::path found = firstExisting(expandRunPath(info.runpath, binary), name); !found.empty()) return found;
  return firstExisting(system_, name);
}

Expected<std::vector<fs::path>> withLibraries(const fs::path& binary) {
  const LibrarySearch search;
  std::set<fs::path> seen;
  std::vector<fs::path> files;
  for (std::deque<Visit> queue{{binary, {}}}; !queue.empty(); queue.pop_front()) {
    const Visit& visit = queue.front();
    const auto file = MappedFile::open(visit.path);
    if (!file && files.empty()) return file.error();
    if (!file || (!isElf(file->bytes()) && !files.empty())) continue;
    files.push_back(visit.path);
    if (!isElf(file->bytes())) break;
    const auto info = dynamicInfo(file->bytes());
    if (!info) return Error(info.error()).context(visit.path.string());
    queueNeeded(visit, *info, search, seen, queue);
  }
  return files;
}

}  // namespace mneme::code
