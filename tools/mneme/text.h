// SPDX-License-Identifier: Apache-2.0
/// How numbers, sizes and commands look in what `mneme` prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mneme::cli {

/// "512 bytes", "12.0 MB": powers of 1000, one decimal.
[[nodiscard]] std::string sizeText(uint64_t bytes);
/// "0.123 ms", "12.3 us", "1.50 s".
[[nodiscard]] std::string timeText(uint64_t nanoseconds);
/// "1 region", "3 regions".
[[nodiscard]] std::string counted(uint64_t count, std::string_view noun);
/// Quoted for a POSIX shell if it needs it.
[[nodiscard]] std::string shellQuoted(std::string_view word);
/// "%.6g".
[[nodiscard]] std::string numberText(double value);

}  // namespace mneme::cli
