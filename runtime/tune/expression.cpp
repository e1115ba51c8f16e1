// SPDX-License-Identifier: Apache-2.0
/// What an expression's tree comes to; see expression.h. Whole numbers are checked for overflow.
#include "tune/expression.h"

#include <cmath>
#include <limits>

#include "tune/expression_node.h"

namespace mneme::tune {
namespace {

Error wrong(const std::string& what) { return {ErrorCode::InvalidArgument, what}; }

Expected<Value> finite(double real) {
  if (std::isfinite(real)) return Value(real);
  return wrong("the result is not a finite number");
}

int64_t floorOf(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

Expected<int64_t> wholePower(int64_t base, int64_t exponent) {
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 ? -1 : 1;
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) return wrong("** overflows");
  return result;
}

Expected<Value> wholeDivision(Operation operation, int64_t a, int64_t b) {
  if (b == 0) return wrong("division by zero");
  if (b == -1 && a == std::numeric_limits<int64_t>::min()) return wrong("division overflows");
  const int64_t down = floorOf(a, b);
  switch (operation) {
    case Operation::FloorDivide: return Value(down);
    case Operation::CeilDivide: return Value(down + (a % b != 0));
    case Operation::Remainder: return Value(a - down * b);
    default: return a % b == 0 ? Value(a / b) : Value(static_cast<double>(a) / static_cast<double>(b));
  }
}

Expected<Value> wholeArithmetic(Operation operation, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (operation) {
    case Operation::Add: if (__builtin_add_overflow(a, b, &result)) return wrong("+ overflows"); return Value(result);
    case Operation::Subtract: if (__builtin_sub_overflow(a, b, &result)) return wrong("- overflows"); return Value(result);
    case Operation::Multiply: if (__builtin_mul_overflow(a, b, &result)) return wrong("* overflows"); return Value(result);
    case Operation::BitOr: return Value(a | b);
    case Operation::BitXor: return Value(a ^ b);
    case Operation::BitAnd: return Value(a & b);
    case Operation::ShiftLeft:
      if (b < 0 || b > 62 || a < 0 || a > (std::numeric_limits<int64_t>::max() >> b)) return wrong("<< overflows");
      return Value(a << b);
    case Operation::ShiftRight:
      if (b < 0) return wrong(">> by a negative number");
      return Value(a >> (b > 63 ? 63 : b));
    case Operation::Power: {
      if (b < 0) return finite(std::pow(static_cast<double>(a), static_cast<double>(b)));
      auto power = wholePower(a, b);
      if (!power) return power.error();
      return Value(*power);
    }
    default: return wholeDivision(operation, a, b);
  }
}

Expected<Value> realArithmetic(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::Add: return finite(a + b);
    case Operation::Subtract: return finite(a - b);
    case Operation::Multiply: return finite(a * b);
    case Operation::Power: return finite(std::pow(a, b));
    case Operation::Divide: case Operation::FloorDivide: case Operation::CeilDivide: case Operation::Remainder: break;
    default: return wrong("bits of a number that is not whole");
  }
  if (b == 0) return wrong("division by zero");
  if (operation == Operation::Divide) return finite(a / b);
  if (operation == Operation::Remainder) return finite(a - std::floor(a / b) * b);
  return finite(operation == Operation::CeilDivide ? std::ceil(a / b) : std::floor(a / b));
}

Expected<Value> arithmetic(Operation operation, const Value& a, const Value& b) {
  auto left = number(a), right = number(b);
  if (!left || !right) return wrong("arithmetic with the text \"" + text(left ? b : a) + "\"");
  if (!std::holds_alternative<double>(a) && !std::holds_alternative<double>(b))
    return wholeArithmetic(operation, *integer(a), *integer(b));
  return realArithmetic(operation, *left, *right);
}

/// Below, equal or above zero, as a is to b.
Expected<int> compare(const Value& a, const Value& b) {
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  if (left && right) return left->compare(*right);
  if (left || right) return wrong("a comparison of text with a number: " + text(a) + " and " + text(b));
  const double x = *number(a), y = *number(b);
  return x < y ? -1 : x > y;
}

bool equal(const Value& a, const Value& b) {
  auto order = compare(a, b);
  return order && *order == 0;
}

bool holds(Operation operation, int order) {
  switch (operation) {
    case Operation::Less: return order < 0;
    case Operation::LessEqual: return order <= 0;
    case Operation::Greater: return order > 0;
    default: return order >= 0;
  }
}

class Evaluation {
 public:
  explicit Evaluation(std::span<const Value* const> values) : values_(values) {}

  Expected<Value> of(const Expression::Node& node) const {
    switch (node.operation) {
      case Operation::Constant: return node.constant;
      case Operation::Name: return *values_[node.slot];
      case Operation::Or: case Operation::And: return logical(node);
      case Operation::Choose: return choose(node);
      case Operation::In: case Operation::NotIn: return membership(node);
      case Operation::Minimum: case Operation::Maximum: return extreme(node);
      default: break;
    }
    auto first = of(*node.operands[0]);
    if (!first) return first;
    if (node.operands.size() == 1) return unary(node.operation, *first);
    auto second = of(*node.operands[1]);
    return second ? binary(node.operation, *first, *second) : second;
  }

 private:
  Expected<Value> logical(const Expression::Node& node) const {
    auto left = of(*node.operands[0]);
    if (!left) return left;
    if (isTrue(*left) == (node.operation == Operation::Or)) return Value(node.operation == Operation::Or);
    auto right = of(*node.operands[1]);
    return right ? Expected<Value>(Value(isTrue(*right))) : right;
  }
  Expected<Value> choose(const Expression::Node& node) const {
    auto condition = of(*node.operands[0]);
    return condition ? of(*node.operands[isTrue(*condition) ? 1 : 2]) : condition;
  }
  Expected<Value> membership(const Expression::Node& node) const {
    auto wanted = of(*node.operands[0]);
    if (!wanted) return wanted;
    bool found = false;
    for (size_t i = 1; i < node.operands.size() && !found; ++i) {
      auto item = of(*node.operands[i]);
      if (!item) return item;
      found = equal(*wanted, *item);
    }
    return Value(found == (node.operation == Operation::In));
  }
  Expected<Value> extreme(const Expression::Node& node) const {
    auto best = of(*node.operands[0]);
    for (size_t i = 1; best && i < node.operands.size(); ++i) {
      auto next = of(*node.operands[i]);
      if (!next) return next;
      auto order = compare(*next, *best);
      if (!order) return order.error();
      if (node.operation == Operation::Minimum ? *order < 0 : *order > 0) best = std::move(next);
    }
    return best;
  }
  static Expected<Value> unary(Operation operation, const Value& value) {
    if (operation == Operation::Not) return Value(!isTrue(value));
    auto real = number(value);
    if (!real) return wrong("arithmetic with the text \"" + text(value) + "\"");
    if (operation == Operation::Log2) return *real > 0 ? finite(std::log2(*real)) : wrong("log2 of a number that is not above 0");
    if (operation == Operation::Absolute && *real >= 0) return value;
    if (std::holds_alternative<double>(value)) return Value(-*real);
    return wholeArithmetic(Operation::Subtract, 0, *integer(value));
  }
  static Expected<Value> binary(Operation operation, const Value& a, const Value& b) {
    if (operation == Operation::Equal) return Value(equal(a, b));
    if (operation == Operation::NotEqual) return Value(!equal(a, b));
    if (operation < Operation::Less || operation > Operation::GreaterEqual) return arithmetic(operation, a, b);
    auto order = compare(a, b);
    return order ? Expected<Value>(Value(holds(operation, *order))) : Expected<Value>(order.error());
  }

  std::span<const Value* const> values_;
};

}  // namespace

Expected<Value> Expression::evaluate(std::span<const Value* const> values) const { return Evaluation(values).of(*root_); }

}  // namespace mneme::tune
