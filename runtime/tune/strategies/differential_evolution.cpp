// SPDX-License-Identifier: Apache-2.0
/// Differential evolution on value positions: best + F (a - b) for numbers, a vote for text; a child replaces a slower parent.
#include <algorithm>
#include <cmath>

#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {

constexpr size_t kPopulation = 16;
constexpr double kCross = 0.7;

class Evolution {
 public:
  explicit Evolution(const StrategyInput& input) : input_(input) {
    for (const auto& parameter : input.domain.parameters()) numeric_.push_back(parameter.numeric());
  }
  std::vector<Point> points;
  std::vector<double> times;

  std::vector<Point> children() {
    const Point best = points[static_cast<size_t>(std::min_element(times.begin(), times.end()) - times.begin())];
    std::vector<Point> result;
    for (const auto& parent : points)
      result.push_back(input_.domain.repaired(child(parent, best), input_.random).value_or(parent));
    return result;
  }
  void select(const std::vector<Point>& children, const std::vector<double>& childTimes) {
    for (size_t i = 0; i < points.size(); ++i)
      if (childTimes[i] <= times[i]) points[i] = children[i], times[i] = childTimes[i];
  }

 private:
  Point child(const Point& parent, const Point& best) {
    const auto& a = points[input_.random.below(points.size())];
    const auto& b = points[input_.random.below(points.size())];
    const auto& base = input_.random.chance(0.5) ? best : points[input_.random.below(points.size())];
    const double scale = 0.4 + 0.6 * input_.random.unit();
    const size_t always = input_.random.below(parent.size());
    Point result = parent;
    for (size_t d = 0; d < parent.size(); ++d) {
      if (d != always && !input_.random.chance(kCross)) continue;
      const double last = static_cast<double>(input_.domain.values(d) - 1);
      if (!numeric_[d]) result[d] = input_.random.chance(scale / 2) ? a[d] : base[d];
      else result[d] = static_cast<uint16_t>(std::clamp(base[d] + std::round(scale * (a[d] - b[d]) + 0.3 * input_.random.normal()), 0.0, last));
    }
    return result;
  }

  const StrategyInput& input_;
  std::vector<bool> numeric_;
};

}  // namespace

Search differentialEvolution(StrategyInput input) {
  Evolution evolution(input);
  evolution.points = input.start;
  if (!fillUp(evolution.points, kPopulation, input)) co_return;
  evolution.times = co_yield Batch(evolution.points);
  for (;;) {
    auto children = evolution.children();
    auto times = co_yield Batch(children);
    evolution.select(children, times);
  }
}

}  // namespace mneme::tune
