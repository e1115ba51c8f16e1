// SPDX-License-Identifier: Apache-2.0
/// Greedy descent with restarts: the first better neighbour is taken; a minimum is left by a few random changes.
#include <algorithm>

#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {

/// Two or three parameters of the point changed at once.
std::optional<Point> kicked(const StrategyInput& input, Point point) {
  const size_t changes = 2 + input.random.below(2);
  for (size_t i = 0; i < changes; ++i) {
    const size_t d = input.random.below(point.size());
    point[d] = static_cast<uint16_t>(input.random.below(input.domain.values(d)));
  }
  return input.domain.repaired(std::move(point), input.random);
}

}  // namespace

Search localSearch(StrategyInput input) {
  auto times = co_yield Batch(input.start);
  std::optional<Point> current, best;
  double currentTime = kFailed, bestTime = kFailed;
  for (size_t i = 0; i < times.size(); ++i)
    if (times[i] < bestTime) best = input.start[i], bestTime = times[i];
  current = best, currentTime = bestTime;
  for (;;) {
    if (!current || currentTime == kFailed) {
      current = input.domain.random(input.random);
      if (!current) co_return;
      currentTime = co_yield *current;
      if (currentTime == kFailed) continue;
    }
    auto near = input.domain.oneChanged(*current);
    input.random.shuffle(near);
    bool moved = false;
    for (size_t i = 0; i < near.size() && !moved; ++i) {
      const double time = co_yield near[i];
      if (time < currentTime) current = near[i], currentTime = time, moved = true;
    }
    if (moved) continue;
    if (currentTime < bestTime) best = current, bestTime = currentTime;
    current = best && input.random.chance(0.7) ? kicked(input, *best) : input.domain.random(input.random);
    if (!current) co_return;
    currentTime = co_yield *current;
  }
}

}  // namespace mneme::tune
