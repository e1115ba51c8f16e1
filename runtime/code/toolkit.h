// SPDX-License-Identifier: Apache-2.0
/// Where the CUDA toolkit's files are, if there is one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::code {

/// A file of the toolkit, by its path below the toolkit's folder: the first of $CUDA_HOME, $CUDA_PATH, the folder of
/// nvcc on PATH, /usr/local/cuda that has it. Unavailable with the list of folders otherwise.
[[nodiscard]] Expected<std::filesystem::path> findToolkitFile(const std::string& relative);

/// Folders looked into, best first; existing ones only.
[[nodiscard]] std::vector<std::filesystem::path> toolkitFolders();

}  // namespace mneme::code
