// SPDX-License-Identifier: Apache-2.0
/// The tree behind an Expression. Internal to tune/.
#pragma once

#include <memory>
#include <vector>

#include "tune/expression.h"

namespace mneme::tune {

enum class Operation {
  Constant, Name, Or, And, Not, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, In, NotIn, BitOr, BitXor, BitAnd, ShiftLeft,
  ShiftRight, Add, Subtract, Multiply, Divide, FloorDivide, Remainder, Power, Negate, Choose, Minimum, Maximum, Absolute, CeilDivide, Log2,
};

struct Expression::Node {
  Operation operation;
  Value constant{};  ///< of Constant
  size_t slot = 0;   ///< of Name
  std::vector<std::shared_ptr<const Node>> operands{};
};

using NodePointer = std::shared_ptr<const Expression::Node>;

}  // namespace mneme::tune
