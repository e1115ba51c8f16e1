// SPDX-License-Identifier: Apache-2.0
#include "gate/calibration.h"

#include <gtest/gtest.h>

#include "noise.h"

namespace mneme::gate {
namespace {

using test::Machine;

TEST(Calibration, ResamplingSeesNoAlarmsOnAQuietMachine) {
  Machine machine;
  const auto same = machine.pairs(40);
  const auto rates = resample(same, {}, 1, 2000);
  EXPECT_EQ(rates.trials, 2000u);
  EXPECT_LE(rates.alarms(), 0.001);
  EXPECT_GE(resample(same, {}, 1.03, 1000).regression, 0.99);
}

TEST(Calibration, ANoisyMachineIsToldSo) {
  Machine machine;
  machine.noise = 0.2;
  const auto rates = resample(machine.pairs(40), {}, 1, 500);
  EXPECT_GT(rates.undecided, 0.5);
  EXPECT_LE(rates.regression, 0.01);
}

TEST(Calibration, TheSmallestDetectableSlowdownFollowsTheNoise) {
  Machine quiet, noisy;
  noisy.noise = 0.02;
  const double small = smallestDetectable(quiet.pairs(40), {}, 0.95), large = smallestDetectable(noisy.pairs(40), {}, 0.95);
  EXPECT_GT(small, 1.01);
  EXPECT_LT(small, 1.02);
  EXPECT_GT(large, small);
  EXPECT_LT(large, 1.1);
}

TEST(Calibration, WhatCannotBeFoundIsZero) {
  Machine machine;
  EXPECT_EQ(smallestDetectable(machine.pairs(10), {.maxSlowdown = 3, .minEffect = 0}, 0.95), 0);
}

TEST(Calibration, IsRepeatable) {
  Machine machine;
  machine.noise = 0.02;
  const auto same = machine.pairs(20);
  EXPECT_EQ(resample(same, {}, 1.02, 300).regression, resample(same, {}, 1.02, 300).regression);
}

TEST(Calibration, HighestRateIsClopperAndPearsons) {
  EXPECT_NEAR(highestRate(0, 60), 1 - std::pow(0.05, 1 / 60.0), 1e-9);
  EXPECT_NEAR(highestRate(1, 10), 0.3942, 1e-3);
  EXPECT_EQ(highestRate(5, 5), 1);
}

}  // namespace
}  // namespace mneme::gate
