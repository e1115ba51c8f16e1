// SPDX-License-Identifier: Apache-2.0
#include "code/toolkit.h"

#include <cstdlib>
#include <sstream>
#include <system_error>

namespace mneme::code {
namespace fs = std::filesystem;
namespace {

/// The folder above the bin/ that holds nvcc.
fs::path folderOfNvcc() {
  const char* path = std::getenv("PATH");
  std::istringstream directories(path ? path : "");
  std::error_code ignored;
  for (std::string directory; std::getline(directories, directory, ':');) {
    const fs::path nvcc = fs::canonical(fs::path(directory) / "nvcc", ignored);
    if (!ignored) return nvcc.parent_path().parent_path();
  }
  return {};
}

}  // namespace

std::vector<fs::path> toolkitFolders() {
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& folder) {
    std::error_code ignored;
    if (!folder.empty() && fs::is_directory(folder, ignored)) folders.push_back(folder);
  };
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* value = std::getenv(variable)) add(value);
  add(folderOfNvcc());
  add("/usr/local/cuda");
  return folders;
}

Expected<fs::path> findToolkitFile(const std::string& relative) {
  std::string searched;
  for (const fs::path& folder : toolkitFolders()) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / relative, ignored)) return folder / relative;
    searched += " " + folder.string();
  }
  return Error{ErrorCode::Unavailable, "no " + relative + " in a CUDA toolkit (looked in:" +
                                           (searched.empty() ? " nothing; set CUDA_HOME" : searched) + ")"};
}

}  // namespace mneme::code
