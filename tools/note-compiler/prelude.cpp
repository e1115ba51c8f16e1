// SPDX-License-Identifier: Apache-2.0
/// One file per clang and set of options. Of several launchers that want the same one, one makes it and the others wait:
/// nvcc runs longer meanwhile.
#include "prelude.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

#include "base/cache_folder.h"
#include "base/file.h"
#include "base/hash.h"

namespace mneme::notes {
namespace {

namespace fs = std::filesystem;

constexpr size_t kKept = 24;  ///< files of some 10 MB; the longest unused go

/// What compiles the headers alone. nullopt: an option of the command comes before them.
std::optional<Words> headersAlone(const Words& device, const std::string& first) {
  Words words;
  for (size_t i = 0; i < device.size(); ++i) {
    if (device[i] == "-imacros" || device[i] == "-include-pch" || device[i].starts_with("-imacros")) return std::nullopt;
    if (device[i] == "-c" || device[i] == "-include") ++i;  // and what follows it
    else if (!device[i].starts_with("-include")) words.push_back(device[i]);
  }
  words.insert(words.end(), {"-Xclang", "-emit-pch", "-c", first});
  return words;
}

/// As the shell finds it.
fs::path findProgram(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* folders = std::getenv("PATH");
  std::istringstream rest(folders ? folders : "");
  for (std::string folder; std::getline(rest, folder, ':');)
    if (const fs::path candidate = fs::path(folder) / program; ::access(candidate.c_str(), X_OK) == 0) return candidate;
  return program;
}

/// A program by its path, size and time: an update makes another one.
std::string identityOf(const std::string& program) {
  std::error_code failed;
  const fs::path real = fs::canonical(findProgram(program), failed);
  if (failed) return program;
  return real.string() + ' ' + std::to_string(fs::file_size(real, failed)) + ' ' +
         std::to_string(fs::last_write_time(real, failed).time_since_epoch().count());
}

Hash128 keyOf(const Words& words) {
  std::string text = identityOf(words.front());
  for (const std::string& word : words) text += '\0' + word;
  std::error_code failed;
  text += '\0' + fs::current_path(failed).string();  // include folders may be relative
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    const char* value = std::getenv(name);
    text += '\0' + std::string(value ? value : "");
  }
  return hash128(text);
}

void dropOldest(const fs::path& folder) {
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (entry.path().extension() == ".pch") files.emplace_back(entry.last_write_time(failed), entry.path());
  if (files.size() <= kKept) return;
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i < files.size() - kKept; ++i) fs::remove(files[i].second, failed);
}

bool isThere(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return false;
  fs::last_write_time(file, fs::file_time_type::clock::now(), failed);  // used now
  return true;
}

/// Appears under its name only once it is whole.
bool make(Words words, const fs::path& file) {
  const std::string unfinished = file.string() + "." + std::to_string(::getpid()) + ".tmp";
  words.insert(words.end(), {"-o", unfinished});
  const auto ran = runCaptured(words);
  std::error_code failed;
  if (ran && ran->exitCode == 0) fs::rename(unfinished, file, failed);
  else failed = std::make_error_code(std::errc::io_error);
  if (!failed) return true;
  std::error_code ignored;
  fs::remove(unfinished, ignored);
  return false;
}

}  // namespace

std::string preludeFor(const Words& device, const std::string& first) {
  const fs::path root = cacheFolder();
  const auto words = headersAlone(device, first);
  if (root.empty() || !words) return "";
  const fs::path folder = root / "headers";
  std::error_code failed;
  fs::create_directories(folder, failed);
  const fs::path file = folder / (toHex(keyOf(*words)) + ".pch"), lockFile = file.string() + ".lock";
  if (isThere(file)) return file.string();
  const auto lock = openFile(lockFile, O_RDWR | O_CREAT | O_CLOEXEC);
  if (!lock || ::flock(lock->get(), LOCK_EX) != 0) return "";
  const bool made = isThere(file) || make(*words, file);
  fs::remove(lockFile, failed);
  dropOldest(folder);
  return made ? file.string() : "";
}

}  // namespace mneme::notes
