// SPDX-License-Identifier: Apache-2.0
/// What expressions come to, and that nothing that people write can break the evaluator.
#include "tune/expression.h"

#include <gtest/gtest.h>

namespace mneme::tune {
namespace {

const Value kTile{int64_t{4}}, kBlock{int64_t{64}}, kMode{std::string("fast")};

std::string evaluated(const std::string& text) {
  auto expression = Expression::parse(text);
  if (!expression) return "parse: " + expression.error().message();
  std::vector<const Value*> values;
  for (const auto& name : expression->names()) values.push_back(name == "tile" ? &kTile : name == "mode" ? &kMode : &kBlock);
  auto value = expression->evaluate(values);
  return value ? mneme::tune::text(*value) : "error: " + value.error().message();
}

TEST(Expression, BindsAsPythonAndCDo) {
  EXPECT_EQ(evaluated("1 + 2 * 3 ** 2"), "19");
  EXPECT_EQ(evaluated("-2 ** 2"), "-4");
  EXPECT_EQ(evaluated("2 ** -1"), "0.5");
  EXPECT_EQ(evaluated("(1 + 2) * 3 % 4"), "1");
  EXPECT_EQ(evaluated("1 | 6 & 3 ^ 1"), "3");
  EXPECT_EQ(evaluated("1 << 4 >> 2"), "4");
  EXPECT_EQ(evaluated("not 1 == 2 and 3 > 2"), "true");
  EXPECT_EQ(evaluated("!(tile > 2) || block == 64"), "true");
  EXPECT_EQ(evaluated("tile == 4 && block != 64"), "false");
}

TEST(Expression, WholeNumbersStayWhole) {
  EXPECT_EQ(evaluated("block / tile"), "16");
  EXPECT_EQ(evaluated("block / 3"), "21.333333333333332");
  EXPECT_EQ(evaluated("7 // 2"), "3");
  EXPECT_EQ(evaluated("-7 // 2"), "-4");
  EXPECT_EQ(evaluated("-7 % 3"), "2");
  EXPECT_EQ(evaluated("ceil_div(7, 2)"), "4");
  EXPECT_EQ(evaluated("7.5 // 2"), "3");
}

TEST(Expression, ComparisonsChain) {
  EXPECT_EQ(evaluated("1 < tile <= 4 < block"), "true");
  EXPECT_EQ(evaluated("1 < tile < 4"), "false");
}

TEST(Expression, KnowsListsTextChoicesAndFunctions) {
  EXPECT_EQ(evaluated("tile in [1, 2, 4]"), "true");
  EXPECT_EQ(evaluated("tile not in (1, 2)"), "true");
  EXPECT_EQ(evaluated("mode == 'fast' and mode in [\"fast\"]"), "true");
  EXPECT_EQ(evaluated("1 if tile > 8 else 2"), "2");
  EXPECT_EQ(evaluated("tile > 2 ? block : 0"), "64");
  EXPECT_EQ(evaluated("min(3, tile, 9) + max(1, 2) + abs(-5) + log2(block)"), "16");
  EXPECT_EQ(evaluated("0x10 + 1e2 + True"), "117");
}

TEST(Expression, ShortCircuits) {
  EXPECT_EQ(evaluated("tile == 4 or 1 / 0 > 1"), "true");
  EXPECT_EQ(evaluated("tile == 5 and 1 / 0 > 1"), "false");
}

TEST(Expression, NamesStandInOrderOfUse) {
  auto expression = Expression::parse("tile * recorded.block.x + tile");
  ASSERT_TRUE(expression);
  EXPECT_EQ(expression->names(), (std::vector<std::string>{"tile", "recorded.block.x"}));
}

TEST(Expression, WhatCannotBeComputedIsAnError) {
  EXPECT_EQ(evaluated("1 / 0"), "error: division by zero");
  EXPECT_EQ(evaluated("1 % 0"), "error: division by zero");
  EXPECT_EQ(evaluated("1.5 // 0"), "error: division by zero");
  EXPECT_EQ(evaluated("9223372036854775807 + 1"), "error: + overflows");
  EXPECT_EQ(evaluated("(-9223372036854775807 - 1) // -1"), "error: division overflows");
  EXPECT_EQ(evaluated("0 ** 0 + 0 ** 5 + (-2) ** 3"), "-7");
  EXPECT_EQ(evaluated("10 ** 100"), "error: ** overflows");
  EXPECT_EQ(evaluated("2 ** 9223372036854775807"), "error: ** overflows");
  EXPECT_EQ(evaluated("(-1) ** 9223372036854775807"), "-1");
  EXPECT_EQ(evaluated("1 << 64"), "error: << overflows");
  EXPECT_EQ(evaluated("mode + 1"), "error: arithmetic with the text \"fast\"");
  EXPECT_EQ(evaluated("mode < 1"), "error: a comparison of text with a number: fast and 1");
  EXPECT_EQ(evaluated("log2(0)"), "error: log2 of a number that is not above 0");
  EXPECT_EQ(evaluated("1.5 & 1"), "error: bits of a number that is not whole");
  EXPECT_EQ(evaluated("1e308 * 10"), "error: the result is not a finite number");
}

TEST(Expression, ErrorsNameTheColumn) {
  EXPECT_EQ(evaluated("tile +"), "parse: column 7: the expression ends too early");
  EXPECT_EQ(evaluated("tile block"), "parse: column 6: expected an operator");
  EXPECT_EQ(evaluated("(tile"), "parse: column 6: expected ')'");
  EXPECT_EQ(evaluated("system('x')"), "parse: column 8: no function 'system'; there are min, max, abs, ceil_div, log2");
  EXPECT_EQ(evaluated("'open"), "parse: column 1: the text is not closed");
  EXPECT_EQ(evaluated("1 if 2"), "parse: column 7: expected 'else'");
  EXPECT_EQ(evaluated("99999999999999999999"), "parse: column 1: not a number: 99999999999999999999");
  EXPECT_EQ(evaluated(""), "parse: column 1: the expression ends too early");
}

TEST(Expression, DeepAndLongOnesAreRefused) {
  for (const char* opening : {"(", "-", "not ", "min("}) {
    std::string text;
    for (int i = 0; i < 200; ++i) text += opening;
    EXPECT_NE(evaluated(text + "1").find("nested deeper"), std::string::npos) << opening;
  }
  EXPECT_EQ(evaluated(std::string(5000, ' ') + "1"), "parse: longer than 4096 characters");
}

}  // namespace
}  // namespace mneme::tune
