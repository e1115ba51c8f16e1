// SPDX-License-Identifier: Apache-2.0
/// Runs the user's program in place of this one, as env(1) would: same streams, same signals, same exit code.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace mneme::cli {

/// Runs the command with these variables added to the environment and waits. Signals sent to this process reach the
/// program. Returns its exit code, 128 + signal as shells do, 126 or 127 (said on stderr) if it cannot be run.
/// `ran` tells the program's own 126 and 127 from ours.
struct ProgramEnd {
  int code = 0;
  bool ran = false;
  int signal = 0;  ///< that ended it; 0: it exited
};
[[nodiscard]] ProgramEnd runProgram(const std::vector<std::string>& command,
                                    const std::map<std::string, std::string>& environment);

}  // namespace mneme::cli
