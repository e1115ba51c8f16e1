// SPDX-License-Identifier: Apache-2.0
/// One value of a tuning parameter: truth, integer, real number or text, as JSON has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace mneme::tune {

using Value = std::variant<bool, int64_t, double, std::string>;

/// As people and result files read it: "32", "0.5", "true", "default<O3>".
[[nodiscard]] std::string text(const Value& value);
/// Truth counts as 0 and 1; nullopt for text.
[[nodiscard]] std::optional<double> number(const Value& value);
/// Whole numbers only; a real number counts where it is whole.
[[nodiscard]] std::optional<int64_t> integer(const Value& value);
/// As Python has it: zero, the empty text and false are not true.
[[nodiscard]] bool isTrue(const Value& value);

}  // namespace mneme::tune
