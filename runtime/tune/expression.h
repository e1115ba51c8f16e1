// SPDX-License-Identifier: Apache-2.0
/// Constraints, conditions and shapes of a space: expressions over parameters, in the notation that Python and C share.
///
///   or and not (|| && !)   == != < <= > >= (may be chained)   in [..]   | ^ & << >>   + -   * / // %   ** unary-   ( )
///   a if c else b          c ? a : b          min(..) max(..) abs(x) ceil_div(a, b) log2(x)          12  0x10  1.5  "text"
///
/// Whole numbers stay whole: / gives a whole number where it divides without rest, else a real one; // rounds down.
/// A division by zero, an overflow, a comparison of text with a number are errors, never a crash.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tune/value.h"

namespace mneme::tune {

/// Immutable once parsed; any number of threads may evaluate it.
class Expression {
 public:
  struct Node;

  /// InvalidArgument with the column of what is wrong. Longer than 4096 characters or deeper than 64 levels is refused.
  [[nodiscard]] static Expected<Expression> parse(std::string_view text);

  /// Names in the order of their first use: "tile_x", "recorded.block.x". A name's place here is its slot.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  /// `values[slot]` is the value of names()[slot].
  [[nodiscard]] Expected<Value> evaluate(std::span<const Value* const> values) const;

 private:
  Expression() = default;
  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const Node> root_;
};

}  // namespace mneme::tune
