// SPDX-License-Identifier: Apache-2.0
/// The finals' verdict on given times: equal code never wins, nor does a gain within the default's own noise.
#include "tune_decision.h"

#include <gtest/gtest.h>

namespace mneme::cli {
namespace {

/// Rounds of ten samples around each given time, 0.1 % apart.
Contender contender(const std::string& code, const std::vector<double>& times) {
  Contender result{code, true, {}};
  for (double time : times) {
    result.rounds.emplace_back();
    for (int i = 0; i < 10; ++i) result.rounds.back().push_back(time * (1 + 0.0001 * i));
  }
  return result;
}

const std::vector<double> kSteady(5, 1000.0);

TEST(TuneDecision, EqualCodeNeverWins) {
  const auto base = contender("a", kSteady);
  const std::vector half{contender("a", std::vector<double>(5, 500.0))};
  EXPECT_FALSE(chooseWinner(base, half));
  const std::vector other{contender("b", std::vector<double>(5, 500.0))};
  ASSERT_TRUE(chooseWinner(base, other));
  EXPECT_NEAR(chooseWinner(base, other)->gain, 2, 0.01);
}

TEST(TuneDecision, UnknownCodeIsNotEqual) {
  EXPECT_FALSE(sameCode("", ""));
  EXPECT_FALSE(sameCode("a", ""));
  EXPECT_TRUE(sameCode("a", "a"));
}

TEST(TuneDecision, LessThanOnePercentIsNoGain) {
  const auto base = contender("a", kSteady);
  EXPECT_DOUBLE_EQ(gainFloor(base), 1.01);
  EXPECT_FALSE(chooseWinner(base, std::vector{contender("b", std::vector<double>(5, 995.0))}));
  EXPECT_TRUE(chooseWinner(base, std::vector{contender("b", std::vector<double>(5, 970.0))}));
}

TEST(TuneDecision, GainWithinTheDefaultsOwnSpreadIsNone) {
  const auto base = contender("a", {1000, 1000, 1000, 1000, 1080});
  EXPECT_NEAR(gainFloor(base), 1.08, 1e-9);
  EXPECT_FALSE(chooseWinner(base, std::vector{contender("b", std::vector<double>(5, 950.0))}));
  EXPECT_TRUE(chooseWinner(base, std::vector{contender("b", std::vector<double>(5, 900.0))}));
}

TEST(TuneDecision, TheFastestThatWorkedWins) {
  const auto base = contender("a", kSteady);
  std::vector finalists{contender("b", std::vector<double>(5, 700.0)), contender("c", std::vector<double>(5, 600.0)),
                        contender("d", std::vector<double>(5, 500.0)), contender("e", {})};
  finalists[2].worked = false;
  const auto winner = chooseWinner(base, finalists);
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->place, 1u);
  EXPECT_GT(winner->low, 1.6);
  EXPECT_LT(winner->high, 1.7);
  EXPECT_FALSE(chooseWinner(contender("a", {}), finalists));
}

}  // namespace
}  // namespace mneme::cli
