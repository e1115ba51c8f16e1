// SPDX-License-Identifier: Apache-2.0
#include "measure/rank_tests.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace mneme::measure {
namespace {

std::vector<double> normal(size_t count, double mean, std::mt19937_64& random) {
  std::normal_distribution<double> draw(mean, 1);
  std::vector<double> values(count);
  for (double& value : values) value = draw(random);
  return values;
}

TEST(SignedRank, KnownProbabilities) {
  EXPECT_EQ(signedRankTest({}), 1);
  EXPECT_DOUBLE_EQ(signedRankTest(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}), 1 / 256.0);
  EXPECT_DOUBLE_EQ(signedRankTest(std::vector<double>{-1, 2, 3, 4, 5, 6, 7, 8}), 2 / 256.0);
  EXPECT_DOUBLE_EQ(signedRankTest(std::vector<double>{-1, -2, -3}), 1);
  // Hollander and Wolfe's depression scores: P(W >= 40), n = 9.
  EXPECT_NEAR(signedRankTest(std::vector<double>{0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010}),
              0.019531, 1e-6);
}

TEST(SignedRank, TiesAndZerosCountAgainstAClaim) {
  EXPECT_DOUBLE_EQ(signedRankTest(std::vector<double>{1, 1, 1, 1}), 1 / 16.0);
  EXPECT_DOUBLE_EQ(signedRankTest(std::vector<double>{1, -1, 1, 1}), 5 / 16.0);
  EXPECT_EQ(signedRankTest(std::vector<double>{0, 0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(signedRankTest(std::vector<double>{0, 0, 1, 2}), 1 / 4.0);
}

TEST(SignedRank, IsALevelTest) {
  std::mt19937_64 random(5);
  int rejected = 0;
  for (int i = 0; i < 20'000; ++i) rejected += signedRankTest(normal(10, 0, random)) <= 0.01;
  EXPECT_LE(rejected, 240) << "1 % of 20 000, and three deviations";
  EXPECT_GE(rejected, 130) << "a test that never rejects is none";
}

TEST(SignedRank, ManyDifferencesUseTheNormalApproximation) {
  std::mt19937_64 random(6);
  const auto values = normal(61, 0.3, random);
  const auto fewer = std::span(values).first(60);
  EXPECT_NEAR(signedRankTest(values), signedRankTest(fewer), 0.02);
}

TEST(SignedRank, CentreAndInterval) {
  EXPECT_EQ(signedRankCentre(std::vector<double>{1, 2, 9}), 3.5) << "median of 1 1.5 2 5 5.5 9";
  const std::vector<double> eight{1, 2, 3, 4, 5, 6, 7, 8};
  const auto interval = signedRankInterval(eight, 0.95);  // R: wilcox.test(1:8, conf.int=TRUE): 2 to 7
  EXPECT_EQ(interval.low, 2);
  EXPECT_EQ(interval.high, 7);
  const auto all = signedRankInterval(std::vector<double>{1, 2, 9}, 0.95);
  EXPECT_EQ(all.low, 1);
  EXPECT_EQ(all.high, 9);
}

TEST(SignedRank, IntervalCoversAsOftenAsItSays) {
  std::mt19937_64 random(7);
  int covered = 0;
  for (int i = 0; i < 2000; ++i) covered += signedRankInterval(normal(12, 3, random), 0.95).contains(3);
  EXPECT_GE(covered, 1870);
  EXPECT_LE(covered, 1940);
}

TEST(MannWhitney, KnownProbabilities) {
  EXPECT_DOUBLE_EQ(mannWhitneyTest(std::vector<double>{4, 5, 6}, std::vector<double>{1, 2, 3}), 1 / 20.0);
  EXPECT_DOUBLE_EQ(mannWhitneyTest(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6}), 1);
  EXPECT_DOUBLE_EQ(mannWhitneyTest(std::vector<double>{3, 5, 6}, std::vector<double>{1, 2, 4}), 2 / 20.0);
  EXPECT_EQ(mannWhitneyTest({}, std::vector<double>{1}), 1);
}

TEST(MannWhitney, IsALevelTest) {
  std::mt19937_64 random(8);
  int rejected = 0;
  for (int i = 0; i < 5000; ++i) rejected += mannWhitneyTest(normal(10, 0, random), normal(10, 0, random)) <= 0.02;
  EXPECT_LE(rejected, 130);
  EXPECT_GE(rejected, 60);
}

TEST(MannWhitney, TiesUseTheNormalApproximation) {
  const std::vector<double> a{2, 2, 2, 2, 2, 2, 2, 2}, b{2, 2, 2, 2, 2, 2, 2, 2}, c{1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_GT(mannWhitneyTest(a, b), 0.5);
  EXPECT_LT(mannWhitneyTest(a, c), 0.001);
}

}  // namespace
}  // namespace mneme::measure
