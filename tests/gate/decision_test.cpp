// SPDX-License-Identifier: Apache-2.0
#include "gate/decision.h"

#include <gtest/gtest.h>

#include "noise.h"

namespace mneme::gate {
namespace {

using test::decideOn;
using test::Machine;
using test::shareOf;

/// Pairs of this ratio, each a little apart from the others.
void addPairs(Decision& decision, unsigned count, double ratio, double baseline = 100'000) {
  for (unsigned i = 0; i < count; ++i) {
    const double time = baseline * (1 + 1e-5 * i);
    decision.add({time, time * ratio * (1 + 1e-6 * i)});
  }
}

TEST(Decision, EqualSidesPassAtTheFirstLook) {
  Machine machine;
  const auto judged = decideOn(machine);
  EXPECT_EQ(judged.verdict, Verdict::Pass);
  EXPECT_EQ(judged.pairs, 8u);
  EXPECT_NEAR(judged.ratio, 1, 0.01);
  EXPECT_TRUE(judged.interval.contains(judged.ratio));
  EXPECT_LE(judged.bound, 1.02);
  EXPECT_FALSE(judged.suspected);
}

TEST(Decision, ASlowdownIsConfirmedOnFreshPairsBeforeItFails) {
  Decision decision({});
  EXPECT_EQ(decision.wanted(), 8u);
  addPairs(decision, 8, 1.03);
  EXPECT_TRUE(decision.confirming());
  EXPECT_EQ(decision.wanted(), 8u);
  addPairs(decision, 8, 1.03);
  EXPECT_EQ(decision.wanted(), 0u);
  EXPECT_EQ(decision.judgement().verdict, Verdict::Regression);
  EXPECT_TRUE(decision.judgement().suspected);
  EXPECT_NEAR(decision.judgement().ratio, 1.03, 1e-4);
  EXPECT_EQ(decision.judgement().pairs, 16u);
}

TEST(Decision, ASuspicionThatDoesNotShowAgainIsNoRegression) {
  Decision decision({});
  addPairs(decision, 8, 1.03);
  addPairs(decision, 8, 1.0);
  while (decision.wanted() > 0) addPairs(decision, 1, 1.0);
  EXPECT_EQ(decision.judgement().verdict, Verdict::Pass);
  EXPECT_TRUE(decision.judgement().suspected);
}

TEST(Decision, BothFloorsMustBeExceeded) {
  Decision small({.maxSlowdown = 1.05, .minEffect = 0});
  addPairs(small, 8, 1.03);
  EXPECT_EQ(small.judgement().verdict, Verdict::Pass) << "3 % is allowed, however sure it is";
  Decision absolute({.maxSlowdown = 1.01, .minEffect = 5000});
  addPairs(absolute, 8, 1.03);
  EXPECT_EQ(absolute.judgement().verdict, Verdict::Pass) << "3 us of 100 us are below 5 us";
  Decision slow({.maxSlowdown = 1.01, .minEffect = 5000});
  addPairs(slow, 16, 1.06);
  EXPECT_EQ(slow.judgement().verdict, Verdict::Regression);
  EXPECT_NEAR(slow.judgement().limit, 1.05, 1e-4);
}

TEST(Decision, AShortKernelHasAWiderLimit) {
  Decision decision({.maxSlowdown = 1.01, .minEffect = 100});
  addPairs(decision, 8, 1.02, 4000);
  EXPECT_EQ(decision.judgement().verdict, Verdict::Pass);
  EXPECT_NEAR(decision.judgement().limit, 1.025, 1e-4);
}

TEST(Decision, WhatLooksTooSlowIsMeasuredOnUntilItIsSure) {
  Decision decision({});
  for (int i = 0; i < 8; ++i) decision.add({100'000, i == 0 ? 99'999.0 : 101'500.0 + i});
  EXPECT_FALSE(decision.confirming()) << "one pair of eight says otherwise: not sure enough";
  EXPECT_EQ(decision.wanted(), 4u) << "but no pass either";
  addPairs(decision, 4, 1.015);
  EXPECT_TRUE(decision.confirming());
  addPairs(decision, 8, 1.015);
  EXPECT_EQ(decision.judgement().verdict, Verdict::Regression);
}

TEST(Decision, FasterIsAnImprovement) {
  Machine machine;
  machine.slowdown = 0.9;
  EXPECT_EQ(decideOn(machine).verdict, Verdict::Improvement);
}

TEST(Decision, TooMuchNoiseIsUndecidedNotPassed) {
  Machine machine;
  machine.noise = 0.3;
  const auto judged = decideOn(machine);
  EXPECT_EQ(judged.verdict, Verdict::Undecided);
  EXPECT_EQ(judged.pairs, 24u);
  EXPECT_GT(judged.bound, 1.02);
}

TEST(Decision, StoppedEarlyItPassesOnlyWhatItKnows) {
  Decision few({});
  addPairs(few, 4, 1);
  few.stop();
  EXPECT_EQ(few.judgement().verdict, Verdict::Undecided);
  EXPECT_EQ(few.wanted(), 0u);
  Decision suspected({});
  addPairs(suspected, 9, 1.03);
  suspected.stop();
  EXPECT_EQ(suspected.judgement().verdict, Verdict::Undecided);
  EXPECT_TRUE(suspected.judgement().suspected);
  Decision none({});
  none.stop();
  EXPECT_EQ(none.judgement().verdict, Verdict::Undecided);
}

TEST(Decision, DriftOfTheMachineIsNoSlowdown) {
  Machine machine;
  machine.driftPerPair = 0.004;
  EXPECT_EQ(shareOf(Verdict::Regression, machine, 2000), 0);
  EXPECT_GE(shareOf(Verdict::Pass, machine, 2000), 0.98);
}

/// The noise seen on an H200, per kernel length; see docs/gate.md.
struct Seen {
  const char* what;
  double nanoseconds, noise;
};

class H200Noise : public testing::TestWithParam<Seen> {
 protected:
  static Machine machine(double slowdown = 1) {
    Machine machine;
    machine.nanoseconds = GetParam().nanoseconds;
    machine.noise = GetParam().noise;
    machine.slowdown = slowdown;
    return machine;
  }
};

TEST_P(H200Noise, FewerThanOneFalseAlarmInAThousand) {
  constexpr unsigned kComparisons = 4000;
  EXPECT_LE(shareOf(Verdict::Regression, machine(), kComparisons) * kComparisons, 2);
  EXPECT_LE(shareOf(Verdict::Undecided, machine(), kComparisons) * kComparisons, 3) << "undecided is an alarm, too";
}

TEST_P(H200Noise, FindsRealSlowdowns) {
  if (GetParam().nanoseconds < 20'000) {
    EXPECT_GE(shareOf(Verdict::Regression, machine(1.08), 1000), 0.95);
    return;
  }
  EXPECT_GE(shareOf(Verdict::Regression, machine(1.02), 2000), 0.95);
  EXPECT_GE(shareOf(Verdict::Regression, machine(1.05), 2000), 0.995);
}

INSTANTIATE_TEST_SUITE_P(Kernels, H200Noise,
                         testing::Values(Seen{"short", 3700, 0.019}, Seen{"streaming", 55'000, 0.0049},
                                         Seen{"arithmetic", 83'000, 0.0008}, Seen{"gather", 289'000, 0.0003}),
                         [](const auto& info) { return std::string(info.param.what); });

TEST(Decision, OutlierProcessesDoNotMakeAlarms) {
  Machine machine;
  machine.outliers = 0.1;
  EXPECT_LE(shareOf(Verdict::Regression, machine, 4000), 0.001);
}

/// However large the noise: both sides from one heavy-tailed distribution, no effect floor at all.
TEST(Decision, FalseAlarmsAreBoundedByDesign) {
  std::mt19937_64 random(9);
  std::cauchy_distribution<double> draw(0, 0.2);
  unsigned alarms = 0;
  constexpr unsigned kComparisons = 20'000;
  for (unsigned i = 0; i < kComparisons; ++i) {
    Decision decision({.maxSlowdown = 1, .minEffect = 0});
    while (decision.wanted() > 0) decision.add({std::exp(draw(random)), std::exp(draw(random))});
    alarms += decision.judgement().verdict == Verdict::Regression;
  }
  EXPECT_LE(alarms, 18u) << "0.0004 of 20 000 are 8; three deviations more";
}

TEST(StoredTimes, AreJudgedByTheSameFloors) {
  Machine machine;
  std::vector<double> stored, same, slower, faster;
  for (int i = 0; i < 12; ++i) {
    stored.push_back(machine.process());
    same.push_back(machine.process());
    slower.push_back(1.05 * machine.process());
    faster.push_back(0.9 * machine.process());
  }
  EXPECT_EQ(judgeAgainstStored(stored, same, {}).verdict, Verdict::Pass);
  EXPECT_EQ(judgeAgainstStored(stored, slower, {}).verdict, Verdict::Regression);
  EXPECT_EQ(judgeAgainstStored(stored, faster, {}).verdict, Verdict::Improvement);
  EXPECT_EQ(judgeAgainstStored(stored, slower, {.maxSlowdown = 1.1, .minEffect = 0}).verdict, Verdict::Pass);
  const std::vector<double> two(slower.begin(), slower.begin() + 2);
  EXPECT_NE(judgeAgainstStored(two, slower, {}).verdict, Verdict::Regression) << "too few to say so";
}

}  // namespace
}  // namespace mneme::gate
