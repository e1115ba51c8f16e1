// SPDX-License-Identifier: Apache-2.0
/// The program is libexec/mneme/mneme-nvcc; the trees beside it hold links to it under the names nvcc and clang++.
#include "place.h"

#include <cstdlib>
#include <system_error>

#include "base/cache_folder.h"
#include "base/hash.h"

namespace mneme::host_toolchain {

namespace fs = std::filesystem;

Place ownPlace(bool hip) {
  std::error_code ignored;
  return {fs::read_symlink("/proc/self/exe", ignored).parent_path() / (hip ? "host-hip" : "host-cuda")};
}

std::string Place::librariesWithoutSpaces() const {
  const std::string real = libraries();
  const fs::path cache = cacheFolder();
  if (real.find(' ') == std::string::npos || cache.empty() || cache.string().find(' ') != std::string::npos) return real;
  const fs::path folder = cache / "libraries", link = folder / toHex(hash128(real));
  std::error_code failed;
  fs::create_directories(folder, failed);
  fs::create_directory_symlink(real, link, failed);  // fails where another process has just made it
  return fs::read_symlink(link, failed) == real ? link.string() : real;
}

std::string clang() {
  if (const char* chosen = std::getenv("MNEME_CLANG"); chosen && *chosen) return chosen;
  for (const char* path : {MNEME_BUILT_FOR_CLANG, "/usr/bin/clang++-22", "/usr/lib/llvm-22/bin/clang++"})
    if (fs::exists(path)) return path;
  return "clang++";
}

}  // namespace mneme::host_toolchain
