// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace mneme::measure {
namespace {

std::vector<double> normal(size_t count, double mean, double deviation, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(mean, deviation);
  std::vector<double> values(count);
  for (double& value : values) value = draw(random);
  return values;
}

TEST(Statistics, MedianOfOddAndEven) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

TEST(Statistics, QuantileIsLinearBetweenSamples) {
  const std::vector<double> values{10, 0, 20};
  EXPECT_EQ(quantile(values, 0), 0);
  EXPECT_EQ(quantile(values, 0.25), 5);
  EXPECT_EQ(quantile(values, 1), 20);
}

TEST(Statistics, RobustDeviationIgnoresAFewOutliers) {
  auto values = normal(1000, 100, 2, 3);
  EXPECT_NEAR(robustDeviation(values), 2, 0.2);
  for (size_t i = 0; i < 50; ++i) values[i] = 1e6;
  EXPECT_NEAR(robustDeviation(values), 2.1, 0.3);
  EXPECT_NEAR(relativeSpread(values), 0.021, 0.003);
}

TEST(Statistics, DriftIsTheDifferenceOfTheHalves) {
  EXPECT_EQ(relativeDrift(std::vector<double>{1, 2, 3}), 0);
  EXPECT_NEAR(relativeDrift(std::vector<double>{100, 100, 110, 110}), 10 / 105.0, 1e-12);
  EXPECT_NEAR(relativeDrift(std::vector<double>{110, 110, 100, 100}), -10 / 105.0, 1e-12);
}

TEST(Statistics, BootstrapIntervalCoversTheMedianAsOftenAsItSays) {
  int covered = 0;
  for (uint64_t seed = 0; seed < 300; ++seed)
    covered += bootstrapMedian(normal(25, 50, 3, seed), 0.95, 300, seed).contains(50);
  EXPECT_GE(covered, 270);
  EXPECT_LE(covered, 298) << "an interval that always covers is too wide";
}

TEST(Statistics, BootstrapRatioCoversTheRatioAsOftenAsItSays) {
  int covered = 0;
  for (uint64_t seed = 0; seed < 200; ++seed)
    covered += bootstrapRatio(normal(25, 105, 3, seed), normal(25, 100, 3, seed + 1000), 0.95, 300, seed).contains(1.05);
  EXPECT_GE(covered, 178);
  EXPECT_LE(covered, 199);
}

TEST(Statistics, BootstrapIsRepeatable) {
  const auto values = normal(30, 10, 1, 1);
  EXPECT_EQ(bootstrapMedian(values).low, bootstrapMedian(values).low);
  EXPECT_EQ(bootstrapMedian(values).high, bootstrapMedian(values).high);
}

}  // namespace
}  // namespace mneme::measure
