// SPDX-License-Identifier: Apache-2.0
/// Every strategy on spaces made here: seeded, valid points only, nothing twice, and better than chance where there is
/// something to learn.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tune/simulation.h"

namespace mneme::tune {
namespace {

/// 6 * 6 * 6 * 2 * 3 combinations with x * y <= 256; the best is inside, some fail, and text decides about much.
MeasuredSpace kernelLike() {
  std::vector<Parameter> parameters{{"x", {}, 0}, {"y", {}, 0}, {"tile", {}, 0}, {"cache", {Value(false), Value(true)}, 0},
                                    {"mode", {Value(std::string("a")), Value(std::string("b")), Value(std::string("c"))}, 0}};
  for (int64_t power = 1; power <= 32; power *= 2) parameters[0].values.emplace_back(power), parameters[1].values.emplace_back(power);
  for (int64_t tile = 1; tile <= 6; ++tile) parameters[2].values.emplace_back(tile);
  const Domain all(parameters, [](const Point& p, size_t assigned) { return assigned < 2 || p[0] + p[1] <= 8; });
  MeasuredSpace space{"k", "d", std::nullopt, {}, kFailed};
  for (const auto& p : all.points()) {
    const double threads = std::fabs(p[0] + p[1] - 6.0), shape = std::fabs(p[0] - 4.0);
    double time = 1 + 0.3 * threads + 0.1 * shape + 0.15 * std::fabs(p[2] - 3.0) + (p[3] ? 0 : 0.2) + (p[4] == 1 ? 0 : 0.5);
    if (p[2] == 5 && p[0] + p[1] > 7) time = kFailed;
    space.measured[p] = {time, {static_cast<float>(time * 1.1), static_cast<float>(time * 0.9)}};
    space.optimum = std::min(space.optimum, time);
  }
  space.domain.emplace(parameters, std::vector<Point>(all.points().begin(), all.points().end()));
  return space;
}

double meanShare(const MeasuredSpace& space, const Strategy& strategy, size_t budget) {
  constexpr int kSeeds = 9;
  double sum = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) sum += space.optimum / simulate(space, strategy, budget, seed).best;
  return sum / kSeeds;
}

class EveryStrategy : public testing::TestWithParam<Strategy> {
 protected:
  MeasuredSpace space_ = kernelLike();
};

TEST_P(EveryStrategy, IsTheSameForTheSameSeed) {
  const auto once = simulate(space_, GetParam(), 60, 7), twice = simulate(space_, GetParam(), 60, 7), other = simulate(space_, GetParam(), 60, 8);
  EXPECT_EQ(once.trace, twice.trace);
  EXPECT_EQ(once.trace == other.trace, GetParam().name == "exhaustive");
}

TEST_P(EveryStrategy, SpendsItsBudgetAndNoMore) {
  const auto run = simulate(space_, GetParam(), 75, 1);
  EXPECT_EQ(run.evaluations, 75u);
  EXPECT_EQ(run.trace.back().first, 75u);
  EXPECT_TRUE(std::is_sorted(run.trace.rbegin(), run.trace.rend(), [](const auto& a, const auto& b) { return a.second < b.second; }));
}

TEST_P(EveryStrategy, FindsTheOptimumOnceAllPointsAreAskedFor) {
  const auto run = simulate(space_, GetParam(), 100000, 1);
  EXPECT_EQ(run.evaluations, space_.measured.size());
  EXPECT_EQ(run.best, space_.optimum);
}

TEST_P(EveryStrategy, StartsWithWhatItIsGiven) {
  Random random(1);
  const Point start{3, 3, 3, 1, 1};
  auto search = startStrategy(GetParam(), {*space_.domain, random, 50, {start}}, 1);
  bool found = false;
  for (int i = 0; i < 40 && !found; ++i) {
    auto ask = search.ask();
    ASSERT_TRUE(ask);
    found = ask->point == start;
    search.tell(*ask, space_.measured.at(ask->point).time);
  }
  EXPECT_TRUE(found);
}

TEST_P(EveryStrategy, SurvivesASpaceInWhichEverythingFails) {
  for (auto& [point, measured] : space_.measured) measured.time = kFailed;
  const auto run = simulate(space_, GetParam(), 100, 1);
  EXPECT_EQ(run.evaluations, 100u);
  EXPECT_EQ(run.best, kFailed);
}

TEST_P(EveryStrategy, WorksOnSpacesTooLargeToList) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 6; ++i) {
    parameters.push_back({"p" + std::to_string(i), {}, 0});
    for (int64_t value = 1; value <= 50; ++value) parameters.back().values.emplace_back(value);
  }
  const Domain domain(parameters, [](const Point& p, size_t assigned) { return assigned < 2 || (p[0] + p[1]) % 3 == 0; });
  ASSERT_FALSE(domain.isListed());
  Random random(1);
  auto search = startStrategy(GetParam(), {domain, random, 60, {}}, 1);
  std::set<Point> asked;
  for (int i = 0; i < 60; ++i) {
    auto ask = search.ask();
    ASSERT_TRUE(ask);
    EXPECT_TRUE(domain.contains(ask->point));
    asked.insert(ask->point);
    search.tell(*ask, 1 + std::fabs(ask->point[2] - 20.0) + ask->point[5]);
  }
  EXPECT_GT(asked.size(), 20u);
}

TEST_P(EveryStrategy, WorksOnOnePoint) {
  MeasuredSpace one{"", "", std::nullopt, {{Point{0}, {1, {}}}}, 1};
  one.domain.emplace(std::vector<Parameter>{{"p", {Value(int64_t{1})}, 0}}, std::vector<Point>{{0}});
  EXPECT_EQ(simulate(one, GetParam(), 10, 1).evaluations, 1u);
}

INSTANTIATE_TEST_SUITE_P(, EveryStrategy, testing::ValuesIn(strategies().begin(), strategies().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Strategies, WhatLearnsIsBetterThanChance) {
  const auto space = kernelLike();
  const double chance = meanShare(space, **findStrategy("random"), 100);
  for (const char* name : {"auto", "local", "annealing", "genetic", "differential-evolution", "tabu", "tpe"})
    EXPECT_GT(meanShare(space, **findStrategy(name), 100), chance) << name;
}

TEST(Strategies, AutoFindsTheBestOfASmoothSpaceSoon) {
  EXPECT_GT(meanShare(kernelLike(), **findStrategy("auto"), 80), 0.97);
}

TEST(Strategies, AnUnknownOneNamesAll) {
  auto strategy = findStrategy("best");
  ASSERT_FALSE(strategy);
  EXPECT_THAT(strategy.error().message(), testing::HasSubstr("auto, random, exhaustive"));
}

}  // namespace
}  // namespace mneme::tune
