// SPDX-License-Identifier: Apache-2.0
/// Space files: what they mean, and that every mistake is named with line and field.
#include "tune/space.h"

#include <gmock/gmock.h>

#include <chrono>

namespace mneme::tune {
namespace {

LaunchShape recorded() {
  LaunchShape shape;
  shape.grid = {40, 3, 1};
  shape.block = {256, 1, 1};
  shape.dynamicSharedBytes = 1024;
  return shape;
}

Expected<Space> parsed(const std::string& body) {
  const std::vector<ParameterSlot> slots{{0, 8}, {8, 4}};
  std::vector<uint8_t> arguments(12);
  arguments[8] = 0xfe, arguments[9] = arguments[10] = arguments[11] = 0xff;  // -2
  return parseSpace("{\"mneme_space\": 1,\n" + body + "}", "s.json", recordedValues(recorded(), slots, arguments));
}
std::string error(const std::string& body) {
  auto space = parsed(body);
  return space ? "no error" : space.error().message();
}

TEST(Space, ReadsListsRangesAndPowers) {
  auto space = parsed(R"("parameters": {"a": [4, 2], "b": {"range": [1, 9], "step": 4, "default": 5}, "c": {"powers": [4, 40]},
                                         "d": {"values": ["x", "y"]}, "e": [true, false]})");
  ASSERT_TRUE(space) << space.error().message();
  std::vector<std::string> values;
  for (const auto& parameter : space->parameters) {
    std::string list = parameter.name;
    for (const auto& value : parameter.values) list += " " + text(value);
    values.push_back(list + " " + text(parameter.values[parameter.defaultIndex]));
  }
  EXPECT_THAT(values, testing::ElementsAre("a 2 4 4", "b 1 5 9 5", "c 4 8 16 32 4", "d x y x", "e false true true"));
}

TEST(Space, ConstraintsAndConditionsPrune) {
  auto space = parsed(R"("parameters": {"a": [1, 2, 3], "b": {"values": [1, 2, 3], "when": "a > 1"}}, "constraints": ["a * b < 7", "a + b != 4"])");
  ASSERT_TRUE(space) << space.error().message();
  const auto domain = space->domain();
  std::vector<std::string> points;
  for (const auto& p : domain.points()) points.push_back(std::to_string(p[0] + 1) + std::to_string(p[1] + 1));
  EXPECT_THAT(points, testing::ElementsAre("11", "21", "23", "32"));
}

TEST(Space, AConstraintThatCannotBeComputedDoesNotHold) {
  auto space = parsed(R"("parameters": {"a": [0, 2]}, "constraints": ["8 / a == 4"])");
  ASSERT_TRUE(space);
  EXPECT_EQ(space->domain().points().size(), 1u);
}

TEST(Space, BillionsOfPointsStartAtOnce) {
  std::string parameters;
  for (char name = 'a'; name <= 'i'; ++name) parameters += std::string(name == 'a' ? "" : ", ") + "\"" + name + "\": {\"range\": [1, 20]}";
  auto space = parsed("\"parameters\": {" + parameters + "}, \"constraints\": [\"a * b == 20\", \"b + c > 3\"]");
  ASSERT_TRUE(space) << space.error().message();
  const auto start = std::clock();
  const auto domain = space->domain();
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20);  // processor time, unoptimised build
  EXPECT_GT(domain.combinations(), 1e11);
  Random random(1);
  auto point = domain.random(random);
  ASSERT_TRUE(point);
  EXPECT_EQ(((*point)[0] + 1) * ((*point)[1] + 1), 20);
}

TEST(Space, KeepThreadsChangesTheGrid) {
  auto space = parsed(R"("parameters": {"x": [64, 100]}, "shape": {"rule": "keep_threads", "block": ["x"]})");
  ASSERT_TRUE(space) << space.error().message();
  auto exact = space->shapeOf({0}, recorded()), rounded = space->shapeOf({1}, recorded());
  ASSERT_TRUE(exact && rounded);
  EXPECT_EQ(exact->grid, (Dim3{160, 3, 1}));
  EXPECT_EQ(rounded->grid, (Dim3{103, 3, 1}));
  EXPECT_EQ(rounded->block, (Dim3{100, 1, 1}));
  EXPECT_EQ(exact->dynamicSharedBytes, 1024u);
}

TEST(Space, KeepGridLeavesIt) {
  auto space = parsed(R"("parameters": {"x": [64]}, "shape": {"rule": "keep_grid", "block": ["x", 2], "shared": "4 * x"})");
  ASSERT_TRUE(space) << space.error().message();
  auto shape = space->shapeOf({0}, recorded());
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->grid, recorded().grid);
  EXPECT_EQ(shape->block, (Dim3{64, 2, 1}));
  EXPECT_EQ(shape->dynamicSharedBytes, 256u);
}

TEST(Space, ExpressionsSeeWhatWasRecorded) {
  auto space = parsed(R"("parameters": {"x": [64]}, "shape": {"rule": "expressions", "block": ["x"],
                         "grid": ["ceil_div(recorded.threads.x, x) - recorded.argument.1", "recorded.grid.y"]})");
  ASSERT_TRUE(space) << space.error().message();
  auto shape = space->shapeOf({0}, recorded());
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->grid, (Dim3{162, 3, 1}));
}

TEST(Space, WhatIsNoLaunchSaysWhy) {
  auto space = parsed(R"("parameters": {"x": [0, 2048]}, "shape": {"rule": "keep_grid", "block": ["x"]})");
  ASSERT_TRUE(space) << space.error().message();
  EXPECT_EQ(space->shapeOf({0}, recorded()).error().message(), "x is 0");
  EXPECT_EQ(space->shapeOf({1}, recorded()).error().message(), "2048 threads in a block");
}

TEST(Space, MistakesAreNamedWithLineAndField) {
  EXPECT_EQ(error("\"parameters\": {\n\"a\": []}"), "s.json:3: parameters.a: no values");
  EXPECT_EQ(error("\"parameters\": {\"a\": [1,\n1]}"), "s.json:3: parameters.a.1: 1 is there twice");
  EXPECT_EQ(error("\"parameters\": {\"a\": [1],\n\n\"b\": {\"range\": [3, 1]}}"), "s.json:4: parameters.b.range: not two whole numbers, the smaller one first");
  EXPECT_EQ(error("\"parameters\": {\"a\": {\"range\": [1, 2], \"sep\": 1}}"),
            "s.json:2: parameters.a.sep: unknown; there are values, range, step, powers, base, default, when, description");
  EXPECT_EQ(error("\"parameters\": {\"a\": {\"values\": [1], \"default\":\n 2}}"), "s.json:3: parameters.a.default: 2 is not among the values");
  EXPECT_EQ(error("\"parameters\": {\"a\": [1]},\n\"constraints\": [\n\"a < b\"]"), "s.json:4: constraints.0: 'b' is no parameter");
  EXPECT_EQ(error("\"parameters\": {\"a\": [1]},\n\"constraints\": [\"recorded.blok.x < 1\"]"),
            "s.json:3: constraints.0: 'recorded.blok.x' is no parameter and no recorded value");
  EXPECT_EQ(error("\"parameters\": {\"a\": [1]},\n\"constraints\": [\"a <\"]"), "s.json:3: constraints.0: column 4: the expression ends too early");
  EXPECT_EQ(error("\"parameters\": {\"a\": {\"values\": [1, 2], \"when\": \"b > 1\"}, \"b\": [1]}"), "s.json:2: parameters.a.when: 'b' is no parameter");
  EXPECT_EQ(error("\"parameters\": {\"a\": {\"values\": [1, 2], \"when\": \"a > 1\"}}"), "s.json:2: parameters.a.when: may name only parameters above this one");
  EXPECT_EQ(error("\"parameters\": {\"not\": [1]}"), "s.json:2: parameters.not: a name has letters, digits and _, and is no word of expressions");
  EXPECT_EQ(error("\"parameters\": {\"a\": [1]},\n\"shape\": {\"rule\": \"keep\"}"), "s.json:3: shape.rule: not keep_threads, keep_grid or expressions");
  EXPECT_EQ(error("\"parameters\": {\"a\": [1]},\n\"shape\": {\"rule\": \"keep_grid\", \"grid\": [1]}"), "s.json:3: shape.grid: only with the rule \"expressions\"");
  EXPECT_THAT(error("\"parameters\": {\"a\": [1]},\n\"knobs\": {\"unrol\": 2}"), testing::StartsWith("s.json:3: knobs.unrol: no such knob; there are max_threads, "));
  EXPECT_EQ(error("\"parameters\": {\"a\": [1]},\n\"macros\": {\"A-B\": 2}"), "s.json:3: macros.A-B: not the name of a macro");
  EXPECT_EQ(error("\"parameters\": {\"a\": [1],\n\"a\": [2]}"), "s.json:3: 'a' is there twice");
  EXPECT_THAT(error("\"parameters\": {\"a\": [1,\n}"), testing::StartsWith("s.json:3: syntax error"));
}

TEST(Space, HostileFilesAreRefused) {
  EXPECT_FALSE(parseSpace("", "s", {}));
  EXPECT_FALSE(parseSpace("[]", "s", {}));
  EXPECT_FALSE(parseSpace("{\"mneme_space\": 2, \"parameters\": {\"a\": [1]}}", "s", {}));
  EXPECT_FALSE(parseSpace("{\"parameters\": {\"a\": [1]}}", "s", {}));
  EXPECT_THAT(parseSpace(std::string(100000, '['), "s", {}).error().message(), testing::HasSubstr("nested deeper"));
  EXPECT_THAT(error(R"("parameters": {"a": {"range": [-9223372036854775807, 9223372036854775807]}})"), testing::HasSubstr("more than 65535 values"));
  EXPECT_THAT(error(R"("parameters": {"a": [18446744073709551615]})"), testing::HasSubstr("too large a number"));
  EXPECT_THAT(error(R"("parameters": {"a": [null]})"), testing::HasSubstr("not a number, a text, true or false"));
  EXPECT_THAT(error(R"("parameters": {"a": {"powers": [5, 7]}})"), testing::HasSubstr("there is no power of 2 between them"));
  auto large = parsed(R"("parameters": {"a": {"powers": [1, 9223372036854775807]}})");
  ASSERT_TRUE(large);
  EXPECT_EQ(large->parameters[0].values.size(), 63u);
}

}  // namespace
}  // namespace mneme::tune
