// SPDX-License-Identifier: Apache-2.0
/// What `mneme doctor` looks at. Each check is quick, changes nothing that stays, and says what to do if it is not well.
#pragma once

#include <string>
#include <vector>

namespace mneme::cli {

struct Check {
  enum class State { Ok, Absent, Warning, Broken };  ///< Absent: not here, and that is fine for many
  std::string name;
  State state = State::Ok;
  std::string detail;  ///< what was found
  std::string advice;  ///< what to do; empty if all is well
};

[[nodiscard]] std::vector<Check> runChecks();

}  // namespace mneme::cli
