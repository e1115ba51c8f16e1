// SPDX-License-Identifier: Apache-2.0
/// Runs this program again as a child that may crash or hang: it hands back a result through a pipe, or is killed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::cli {

struct ChildEnd {
  enum class How { Exited, Signalled, TimedOut };
  How how = How::Exited;
  int code = 0;         ///< exit code or signal number
  std::string result;   ///< what the child wrote to its result descriptor
};

struct ChildOptions {
  std::chrono::milliseconds timeout{240'000};
  bool legacyLayout = false;  ///< ask for the legacy address layout without randomisation
};

/// `arguments` follow the program's name; "--result-fd N" is added. The child's stdout goes to stderr, and it dies with
/// this process.
[[nodiscard]] Expected<ChildEnd> runSelf(std::vector<std::string> arguments, const ChildOptions& options);

}  // namespace mneme::cli
