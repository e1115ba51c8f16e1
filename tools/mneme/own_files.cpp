// SPDX-License-Identifier: Apache-2.0
/// See own_files.h.
#include "own_files.h"

#include <system_error>

namespace mneme::cli {

std::filesystem::path ownProgram() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

std::filesystem::path helperFile(const std::string& name) {
  return ownProgram().parent_path().parent_path() / "libexec/mneme" / name;
}

}  // namespace mneme::cli
