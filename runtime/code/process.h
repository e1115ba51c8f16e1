// SPDX-License-Identifier: Apache-2.0
/// Runs a tool to its end and keeps what it said.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::code {

struct ToolResult {
  int exitCode = 0;    ///< 128 + signal if it was killed
  std::string output;  ///< stdout and stderr together, at most a megabyte
};

/// `arguments[0]` is the program's path. Unavailable if it cannot be started. No shell, no standard input.
[[nodiscard]] Expected<ToolResult> runTool(const std::vector<std::string>& arguments);

}  // namespace mneme::code
