// SPDX-License-Identifier: Apache-2.0
/// A binary and the libraries that it needs, as files.
#pragma once

#include <filesystem>
#include <vector>

namespace mneme::code {

/// The binary first, then the libraries that the dynamic loader would find for it, nearest first. Files that cannot be read
/// or are no ELF files lead no further.
[[nodiscard]] std::vector<std::filesystem::path> neededFiles(const std::filesystem::path& binary);

}  // namespace mneme::code
