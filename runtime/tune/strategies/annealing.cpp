// SPDX-License-Identifier: Apache-2.0
/// Simulated annealing on relative times: at temperature T a point e^T times slower is accepted every third time or so.
#include <algorithm>
#include <cmath>

#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {
constexpr double kHot = 0.5, kCold = 0.005;
constexpr size_t kUsualBudget = 200, kWalkLength = 100, kStarts = 8;
}  // namespace

Search annealing(StrategyInput input) {
  const size_t steps = std::min(input.budget ? input.budget : kUsualBudget, kWalkLength);
  std::vector<Point> starts = input.start;
  for (;;) {
    if (!fillUp(starts, kStarts, input)) co_return;
    const auto times = co_yield Batch(starts);
    const auto least = static_cast<size_t>(std::min_element(times.begin(), times.end()) - times.begin());
    Point current = starts[least];
    double time = times[least];
    for (size_t step = 0; step < steps; ++step) {
      auto near = step < steps / 2 ? input.domain.oneChanged(current) : input.domain.adjacent(current);
      if (near.empty()) break;
      const Point next = near[input.random.below(near.size())];
      const double nextTime = co_yield next;
      const double temperature = kHot * std::pow(kCold / kHot, static_cast<double>(step) / static_cast<double>(steps));
      const bool accepted = nextTime <= time || (nextTime != kFailed && input.random.chance(std::exp(-std::log(nextTime / time) / temperature)));
      if (accepted) current = next, time = nextTime;
    }
    starts = {current};
  }
}

}  // namespace mneme::tune
