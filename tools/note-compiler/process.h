// SPDX-License-Identifier: Apache-2.0
/// Child processes: run and wait, run and read what they print, or become one.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::notes {

using Words = std::vector<std::string>;

inline void append(Words& to, const Words& words) { to.insert(to.end(), words.begin(), words.end()); }

/// Runs to the end with this process's standard streams. The child's exit code; 128 + signal if it was killed.
[[nodiscard]] Expected<int> run(const Words& command);

struct Captured {
  int exitCode = 0;
  std::string output;  ///< stdout and stderr, as they came
};
[[nodiscard]] Expected<Captured> runCaptured(const Words& command);

/// Returns only if the command could not be started.
[[nodiscard]] Error become(const Words& command);

/// For a message: words with spaces quoted.
[[nodiscard]] std::string quoted(const Words& command);

}  // namespace mneme::notes
