// SPDX-License-Identifier: Apache-2.0
/// Successive halving over repetitions: many points measured once, the better half twice as often, and so on. Later rounds
/// draw half of their points near what the rounds before found.
#include <algorithm>
#include <numeric>

#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {

constexpr size_t kRound = 32;
constexpr unsigned kMostRepetitions = 16;

std::vector<Point> roundOf(const StrategyInput& input, const std::vector<Point>& winners) {
  std::vector<Point> points;
  while (points.size() < kRound) {
    std::optional<Point> point;
    if (!winners.empty() && input.random.chance(0.5)) {
      auto near = input.domain.oneChanged(winners[input.random.below(winners.size())]);
      if (!near.empty()) point = near[input.random.below(near.size())];
    }
    if (!point) point = input.domain.random(input.random);
    if (!point) break;
    points.push_back(std::move(*point));
  }
  return points;
}

std::vector<Point> betterHalf(const std::vector<Point>& points, const std::vector<double>& times) {
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return times[a] < times[b]; });
  std::vector<Point> half;
  for (size_t i = 0; i < (order.size() + 1) / 2; ++i)
    if (times[order[i]] != kFailed) half.push_back(points[order[i]]);
  return half;
}

}  // namespace

Search halving(StrategyInput input) {
  std::vector<Point> winners, points = input.start;
  for (;;) {
    for (auto& point : roundOf(input, winners)) points.push_back(std::move(point));
    if (points.empty()) co_return;
    for (unsigned repetitions = 1; points.size() > 1 && repetitions <= kMostRepetitions; repetitions *= 2) {
      auto times = co_yield Batch(points, repetitions);
      points = betterHalf(points, times);
    }
    co_yield Batch(points);
    winners = points;
    points.clear();
  }
}

}  // namespace mneme::tune
