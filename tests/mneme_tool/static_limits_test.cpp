// SPDX-License-Identifier: Apache-2.0
#include "static_limits.h"

#include <gmock/gmock.h>

namespace mneme::cli {
namespace {

std::vector<std::string> beyond(const std::vector<std::string>& given, const Figures& baseline, const Figures& candidate) {
  auto limits = staticLimits(given);
  EXPECT_TRUE(limits) << limits.error().message();
  std::vector<std::string> names;
  for (const auto& excess : excesses(*limits, baseline, candidate)) names.push_back(excess.metric);
  return names;
}

const Figures kBefore{{"registers", 32}, {"spills", 16}, {"stack", 0}, {"occupancy", 75}, {"instructions", 200}, {"shared", 0}};

Figures with(const std::string& metric, double value) {
  auto figures = kBefore;
  figures[metric] = value;
  return figures;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StaticLimits, TheDefaultsAllowNothingWorse) {
  EXPECT_THAT(beyond({}, kBefore, kBefore), IsEmpty());
  EXPECT_THAT(beyond({}, kBefore, with("registers", 33)), ElementsAre("registers"));
  EXPECT_THAT(beyond({}, kBefore, with("registers", 31)), IsEmpty());
  EXPECT_THAT(beyond({}, kBefore, with("spills", 20)), ElementsAre("spills"));
  EXPECT_THAT(beyond({}, kBefore, with("occupancy", 50)), ElementsAre("occupancy"));
  EXPECT_THAT(beyond({}, kBefore, with("occupancy", 100)), IsEmpty());
  EXPECT_THAT(beyond({}, kBefore, with("instructions", 900)), IsEmpty()) << "no limit by default";
}

TEST(StaticLimits, GivenOnesReplaceTheirMetrics) {
  EXPECT_THAT(beyond({"registers=+2"}, kBefore, with("registers", 34)), IsEmpty());
  EXPECT_THAT(beyond({"registers=+2"}, kBefore, with("registers", 35)), ElementsAre("registers"));
  EXPECT_THAT(beyond({"registers=40"}, kBefore, with("registers", 40)), IsEmpty());
  EXPECT_THAT(beyond({"spills=0"}, kBefore, kBefore), ElementsAre("spills")) << "at most 0, whatever the baseline";
  EXPECT_THAT(beyond({"instructions=+5%"}, kBefore, with("instructions", 210)), IsEmpty());
  EXPECT_THAT(beyond({"instructions=+5%"}, kBefore, with("instructions", 211)), ElementsAre("instructions"));
  EXPECT_THAT(beyond({"occupancy=-25"}, kBefore, with("occupancy", 50)), IsEmpty());
  EXPECT_THAT(beyond({"occupancy=50%"}, kBefore, with("occupancy", 49)), ElementsAre("occupancy"));
}

TEST(StaticLimits, SeveralMetricsAreAllNamed) {
  auto worse = with("registers", 64);
  worse["occupancy"] = 37.5;
  EXPECT_THAT(beyond({}, kBefore, worse), ElementsAre("registers", "occupancy"));
}

TEST(StaticLimits, WhatCannotBeToldIsNotExceeded) {
  Figures none{{"registers", 32}};
  EXPECT_THAT(beyond({"scalar_registers=+0"}, kBefore, kBefore), IsEmpty());
  EXPECT_THAT(beyond({}, none, with("occupancy", 1)), IsEmpty());
}

TEST(StaticLimits, OtherFormsAreRefused) {
  for (const char* text : {"registers", "registers=", "registers=+", "registers=x", "registers=-1", "occupancy=+0", "warps=1",
                           "registers=1.5x", "registers=5%", "=+0", "registers=nan", "registers=+1e999"}) {
    auto parsed = parseStaticLimit(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message(), testing::HasSubstr("registers=+0")) << text;
  }
}

}  // namespace
}  // namespace mneme::cli
