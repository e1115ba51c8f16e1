// SPDX-License-Identifier: Apache-2.0
/// What the checks of `mneme doctor` ask of the system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mneme::cli {

/// "" if it is not set.
[[nodiscard]] std::string environment(const char* name);

/// Everything of that name in PATH, in order.
[[nodiscard]] std::vector<std::filesystem::path> inPath(const std::string& program);

/// First line of what a shell command prints, or empty.
[[nodiscard]] std::string firstLine(const std::string& command);

}  // namespace mneme::cli
