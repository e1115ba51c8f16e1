// SPDX-License-Identifier: Apache-2.0
/// The compiler flags that change answers, read from the command that built the program.
/// clang's defaults are not nvcc's: nvcc's square roots are exact, clang's are not.
#pragma once

#include <span>
#include <string>

namespace mneme::code {

struct NumericFlags {
  bool preciseSqrt = true;      ///< -prec-sqrt
  bool preciseDivision = true;  ///< -prec-div
  bool flushToZero = false;     ///< -ftz
  bool fuse = true;             ///< -fmad: a*b+c may be one operation
  bool fastMath = false;        ///< -use_fast_math: division is div.approx rather than div.full
  friend bool operator==(const NumericFlags&, const NumericFlags&) = default;
};

/// `command` is a note's compile command, the compiler first (launchers before it are skipped). An empty one gives
/// nvcc's defaults. The last of contradicting flags counts.
[[nodiscard]] NumericFlags numericFlags(std::span<const std::string> command);

}  // namespace mneme::code
