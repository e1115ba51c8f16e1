// SPDX-License-Identifier: Apache-2.0
/// The program is libexec/mneme/mneme-nvcc; the tree beside it holds a link to it under the name nvcc.
#include "place.h"

#include <cstdlib>
#include <system_error>

namespace mneme::host_toolchain {

namespace fs = std::filesystem;

Place ownPlace() {
  std::error_code ignored;
  return {fs::read_symlink("/proc/self/exe", ignored).parent_path() / "host-cuda"};
}

std::string clang() {
  if (const char* chosen = std::getenv("MNEME_CLANG"); chosen && *chosen) return chosen;
  for (const char* path : {MNEME_BUILT_FOR_CLANG, "/usr/bin/clang++-22", "/usr/lib/llvm-22/bin/clang++"})
    if (fs::exists(path)) return path;
  return "clang++";
}

}  // namespace mneme::host_toolchain
