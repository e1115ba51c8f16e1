// SPDX-License-Identifier: Apache-2.0
/// Ask, look up, tell; see simulation.h.
#include "tune/simulation.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace mneme::tune {
namespace {

double observed(const MeasuredPoint& point, unsigned repetitions) {
  if (repetitions == 0 || repetitions >= point.samples.size()) return point.time;
  return std::accumulate(point.samples.begin(), point.samples.begin() + repetitions, 0.0) / repetitions;
}

}  // namespace

Simulated simulate(const MeasuredSpace& space, const Strategy& strategy, size_t budget, uint64_t seed) {
  Simulated result;
  Random random(seed);
  auto search = startStrategy(strategy, {*space.domain, random, budget, {}}, ~seed);
  std::unordered_set<Point, PointHash> seen;
  while (result.evaluations < budget) {
    auto asked = search.ask();
    if (!asked) break;
    const auto& point = space.measured.at(asked->point);
    if (seen.insert(asked->point).second) {
      ++result.evaluations;
      result.best = std::min(result.best, point.time);
      if (result.best != kFailed) result.trace.emplace_back(result.evaluations, result.best);
    }
    search.tell(*asked, observed(point, asked->repetitions));
  }
  return result;
}

}  // namespace mneme::tune
