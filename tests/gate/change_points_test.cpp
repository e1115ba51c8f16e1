// SPDX-License-Identifier: Apache-2.0
#include "gate/change_points.h"

#include <gtest/gtest.h>
#include <random>

namespace mneme::gate {
namespace {

/// So many values around each level.
std::vector<double> series(std::vector<std::pair<size_t, double>> levels, double noise, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(1, noise);
  std::vector<double> all;
  for (const auto& [count, level] : levels)
    for (size_t i = 0; i < count; ++i) all.push_back(level * draw(random));
  return all;
}

TEST(ChangePoints, ASteadySeriesIsOneSegment) {
  EXPECT_TRUE(segments({}).empty());
  EXPECT_EQ(segments(std::vector<double>{5}).size(), 1u);
  EXPECT_EQ(segments(std::vector<double>(50, 7)).size(), 1u);
  unsigned alarms = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) alarms += segments(series({{60, 100}}, 0.01, seed)).size() > 1;
  EXPECT_LE(alarms, 4u);
}

TEST(ChangePoints, AShiftThatStaysIsFoundWhereItIs) {
  unsigned right = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const auto found = segments(series({{30, 100}, {20, 105}}, 0.01, seed));
    right += found.size() == 2 && found[1].first >= 29 && found[1].first <= 31 && std::abs(found[1].level - 105) < 1;
  }
  EXPECT_GE(right, 90u);
}

TEST(ChangePoints, OneOutlierIsNoShift) {
  auto values = series({{40, 100}}, 0.01);
  values[20] = 110;
  EXPECT_EQ(segments(values).size(), 1u);
}

TEST(ChangePoints, SmallShiftsAreOneLevel) {
  EXPECT_EQ(segments(series({{30, 100}, {30, 100.5}}, 0.0001)).size(), 1u);
  EXPECT_EQ(segments(series({{30, 100}, {30, 100.5}}, 0.0001), 0.001).size(), 2u);
}

TEST(ChangePoints, SeveralShifts) {
  const auto found = segments(series({{20, 100}, {15, 110}, {25, 90}}, 0.01));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].first, 20u);
  EXPECT_EQ(found[2].first, 35u);
  EXPECT_EQ(found[2].last, 59u);
}

}  // namespace
}  // namespace mneme::gate
