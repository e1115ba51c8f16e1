// SPDX-License-Identifier: Apache-2.0
/// From text to tree, by recursive descent; one function per level of binding.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "tune/expression_node.h"

namespace mneme::tune {
namespace {

constexpr size_t kMaxLength = 4096;
constexpr int kMaxDepth = 64;

struct Binary {
  std::string_view token;
  Operation operation;
};

/// Loosest first. Comparisons are a level of their own: they chain.
constexpr std::array kBitOr{Binary{"|", Operation::BitOr}};
constexpr std::array kBitXor{Binary{"^", Operation::BitXor}};
constexpr std::array kBitAnd{Binary{"&", Operation::BitAnd}};
constexpr std::array kShift{Binary{"<<", Operation::ShiftLeft}, Binary{">>", Operation::ShiftRight}};
constexpr std::array kSum{Binary{"+", Operation::Add}, Binary{"-", Operation::Subtract}};
constexpr std::array kProduct{Binary{"//", Operation::FloorDivide}, Binary{"*", Operation::Multiply}, Binary{"/", Operation::Divide},
                              Binary{"%", Operation::Remainder}};
constexpr std::array<std::span<const Binary>, 6> kLevels{kBitOr, kBitXor, kBitAnd, kShift, kSum, kProduct};
constexpr std::array kComparisons{Binary{"==", Operation::Equal},        Binary{"!=", Operation::NotEqual},
                                  Binary{"<=", Operation::LessEqual},    Binary{">=", Operation::GreaterEqual},
                                  Binary{"<", Operation::Less},          Binary{">", Operation::Greater}};

struct Function {
  std::string_view name;
  Operation operation;
  size_t least, most;  ///< arguments
};
constexpr std::array kFunctions{Function{"min", Operation::Minimum, 1, 64}, Function{"max", Operation::Maximum, 1, 64},
                                Function{"abs", Operation::Absolute, 1, 1}, Function{"ceil_div", Operation::CeilDivide, 2, 2},
                                Function{"log2", Operation::Log2, 1, 1}};
constexpr std::array<std::string_view, 6> kReserved{"or", "and", "not", "in", "if", "else"};

NodePointer node(Operation operation, std::vector<NodePointer> operands) {
  return std::make_shared<Expression::Node>(Expression::Node{operation, {}, 0, std::move(operands)});
}
NodePointer constant(Value value) { return std::make_shared<Expression::Node>(Expression::Node{Operation::Constant, std::move(value)}); }

bool startsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continuesName(char c) { return startsName(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '.'; }

/// Null results mean that `problem` is set.
class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string>& names) : text_(text), names_(names) {}

  NodePointer whole() {
    auto root = choice();
    skipSpace();
    if (root && at_ < text_.size()) return fail("expected an operator");
    return root;
  }
  std::string problem;

 private:
  NodePointer fail(const std::string& what) {
    if (problem.empty()) problem = "column " + std::to_string(at_ + 1) + ": " + what;
    return nullptr;
  }

  void skipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  std::string_view rest() {
    skipSpace();
    return text_.substr(at_);
  }
  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view peekWord() {
    auto word = rest();
    if (word.empty() || !startsName(word[0])) return {};
    return word.substr(0, static_cast<size_t>(std::find_if_not(word.begin(), word.end(), continuesName) - word.begin()));
  }
  bool takeWord(std::string_view word) { return peekWord() == word && take(word); }

  NodePointer choice() {
    if (++depth_ > kMaxDepth) return fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    auto value = disjunction();
    if (value && take("?")) value = conditional(value, ":");
    else if (value && takeWord("if")) value = pythonConditional(value);
    --depth_;
    return value;
  }
  NodePointer conditional(NodePointer condition, std::string_view separator) {
    auto yes = choice();
    if (!yes) return nullptr;
    if (!take(separator)) return fail("expected '" + std::string(separator) + "'");
    auto no = choice();
    return no ? node(Operation::Choose, {condition, yes, no}) : nullptr;
  }
  NodePointer pythonConditional(NodePointer yes) {
    auto condition = disjunction();
    if (!condition) return nullptr;
    if (!takeWord("else")) return fail("expected 'else'");
    auto no = choice();
    return no ? node(Operation::Choose, {condition, yes, no}) : nullptr;
  }

  NodePointer disjunction() {
    auto left = conjunction();
    while (left && (takeWord("or") || take("||"))) {
      auto right = conjunction();
      left = right ? node(Operation::Or, {left, right}) : nullptr;
    }
    return left;
  }
  NodePointer conjunction() {
    auto left = negation();
    while (left && (takeWord("and") || take("&&"))) {
      auto right = negation();
      left = right ? node(Operation::And, {left, right}) : nullptr;
    }
    return left;
  }
  NodePointer negation() {
    if (takeWord("not") || (!rest().starts_with("!=") && take("!"))) {
      if (++depth_ > kMaxDepth) return fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
      auto operand = negation();
      --depth_;
      return operand ? node(Operation::Not, {operand}) : nullptr;
    }
    return comparison();
  }

  /// a < b < c means a < b and b < c.
  NodePointer comparison() {
    auto left = binary(0);
    NodePointer all;
    while (left) {
      auto next = comparisonStep(left);
      if (!next) return problem.empty() ? (all ? all : left) : nullptr;
      all = all ? node(Operation::And, {all, next}) : next;
      left = next->operation == Operation::In || next->operation == Operation::NotIn ? nullptr : next->operands[1];
      if (!left) return all;
    }
    return nullptr;
  }
  NodePointer comparisonStep(const NodePointer& left) {
    for (const auto& candidate : kComparisons) {
      if (!take(candidate.token)) continue;
      auto right = binary(0);
      return right ? node(candidate.operation, {left, right}) : nullptr;
    }
    if (takeWord("in")) return membership(left, Operation::In);
    if (!takeWord("not")) return nullptr;
    return takeWord("in") ? membership(left, Operation::NotIn) : fail("expected 'in'");
  }
  NodePointer membership(const NodePointer& left, Operation operation) {
    std::string_view close = take("[") ? "]" : take("(") ? ")" : "";
    if (close.empty()) return fail("expected a list: [1, 2]");
    auto operands = list(close);
    if (!problem.empty()) return nullptr;
    operands.insert(operands.begin(), left);
    return node(operation, std::move(operands));
  }
  std::vector<NodePointer> list(std::string_view close) {
    std::vector<NodePointer> items;
    if (take(close)) return items;
    do {
      if (rest().starts_with(close)) break;  // a trailing comma
      auto item = choice();
      if (!item) return {};
      items.push_back(std::move(item));
    } while (take(","));
    if (!take(close)) fail("expected '" + std::string(close) + "'");
    return items;
  }

  const Binary* operatorOf(size_t level) {
    for (const auto& candidate : kLevels[level]) {
      const auto text = rest();
      if (!text.starts_with(candidate.token)) continue;
      const auto after = text.substr(candidate.token.size());
      if (candidate.token == "|" && after.starts_with("|")) return nullptr;
      if (candidate.token == "&" && after.starts_with("&")) return nullptr;
      if (candidate.token == "*" && after.starts_with("*")) return nullptr;
      at_ += candidate.token.size();
      return &candidate;
    }
    return nullptr;
  }
  NodePointer binary(size_t level) {
    if (level == kLevels.size()) return unary();
    auto left = binary(level + 1);
    while (left) {
      const auto* found = operatorOf(level);
      if (!found) return left;
      auto right = binary(level + 1);
      left = right ? node(found->operation, {left, right}) : nullptr;
    }
    return nullptr;
  }
  NodePointer unary() {
    if (++depth_ > kMaxDepth) return fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    NodePointer result;
    if (take("-")) {
      auto operand = unary();
      result = operand ? node(Operation::Negate, {operand}) : nullptr;
    } else {
      result = take("+") ? unary() : power();
    }
    --depth_;
    return result;
  }
  NodePointer power() {
    auto base = primary();
    if (!base || !take("**")) return base;
    auto exponent = unary();
    return exponent ? node(Operation::Power, {base, exponent}) : nullptr;
  }

  NodePointer primary() {
    const auto text = rest();
    if (text.empty()) return fail("the expression ends too early");
    if (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '.') return numeral();
    if (text[0] == '"' || text[0] == '\'') return quoted(text[0]);
    if (startsName(text[0])) return nameOrCall();
    if (!take("(")) return fail("unexpected '" + std::string(1, text[0]) + "'");
    auto inner = choice();
    if (inner && !take(")")) return fail("expected ')'");
    return inner;
  }
  NodePointer numeral() {
    const auto text = rest();
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const size_t end = text.find_first_not_of(hexadecimal ? "0123456789abcdefABCDEFxX" : "0123456789.eE");
    const auto digits = text.substr(0, end);
    const bool real = !hexadecimal && digits.find_first_of(".eE") != std::string_view::npos;
    const char* first = digits.data() + (hexadecimal ? 2 : 0);
    const char* last = digits.data() + digits.size();
    int64_t whole = 0;
    double fraction = 0;
    auto done = real ? std::from_chars(first, last, fraction) : std::from_chars(first, last, whole, hexadecimal ? 16 : 10);
    if (done.ec != std::errc() || done.ptr != last) return fail("not a number: " + std::string(digits));
    at_ += digits.size();
    return real ? constant(fraction) : constant(whole);
  }
  NodePointer quoted(char quote) {
    const auto text = rest();
    const size_t end = text.find(quote, 1);
    if (end == std::string_view::npos) return fail("the text is not closed");
    at_ += end + 1;
    return constant(std::string(text.substr(1, end - 1)));
  }
  NodePointer nameOrCall() {
    const std::string word(peekWord());
    if (std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end()) return fail("unexpected '" + word + "'");
    at_ += word.size();
    if (word == "true" || word == "True") return constant(true);
    if (word == "false" || word == "False") return constant(false);
    return take("(") ? call(word) : name(word);
  }
  NodePointer call(const std::string& word) {
    auto known = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == word; });
    if (known == kFunctions.end()) return fail("no function '" + word + "'; there are min, max, abs, ceil_div, log2");
    auto arguments = list(")");
    if (!problem.empty()) return nullptr;
    if (arguments.size() < known->least || arguments.size() > known->most) return fail("wrong number of arguments of " + word);
    return node(known->operation, std::move(arguments));
  }
  NodePointer name(const std::string& word) {
    auto known = std::find(names_.begin(), names_.end(), word);
    const auto slot = static_cast<size_t>(known - names_.begin());
    if (known == names_.end()) names_.push_back(word);
    return std::make_shared<Expression::Node>(Expression::Node{Operation::Name, {}, slot});
  }

  std::string_view text_;
  std::vector<std::string>& names_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Expected<Expression> Expression::parse(std::string_view text) {
  Expression result;
  if (text.size() > kMaxLength) return Error(ErrorCode::InvalidArgument, "longer than " + std::to_string(kMaxLength) + " characters");
  result.text_ = text;
  Parser parser(result.text_, result.names_);
  result.root_ = parser.whole();
  if (!result.root_) return Error(ErrorCode::InvalidArgument, parser.problem);
  return result;
}

}  // namespace mneme::tune
