// SPDX-License-Identifier: Apache-2.0
/// Tournaments, uniform crossover, mutation by one place or to any value; the two best stay.
#include <algorithm>
#include <numeric>

#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {

constexpr size_t kPopulation = 20, kElite = 2;

class Population {
 public:
  Population(const StrategyInput& input) : input_(input) {}
  std::vector<Point> points;
  std::vector<double> times;

  std::vector<Point> nextGeneration() {
    std::vector<size_t> order(points.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return times[a] < times[b]; });
    std::vector<Point> next;
    for (size_t i = 0; i < std::min(kElite, order.size()); ++i) next.push_back(points[order[i]]);
    while (next.size() < kPopulation) {
      auto child = input_.domain.repaired(mutated(crossed(winner(), winner())), input_.random);
      if (!child) break;
      next.push_back(std::move(*child));
    }
    return next;
  }

 private:
  const Point& winner() {
    const size_t a = input_.random.below(points.size()), b = input_.random.below(points.size());
    return points[times[a] <= times[b] ? a : b];
  }
  Point crossed(const Point& mother, const Point& father) {
    Point child = mother;
    for (size_t d = 0; d < child.size(); ++d)
      if (input_.random.chance(0.5)) child[d] = father[d];
    return child;
  }
  Point mutated(Point child) {
    for (size_t d = 0; d < child.size(); ++d) {
      const size_t values = input_.domain.values(d);
      if (values < 2 || !input_.random.chance(1.0 / static_cast<double>(child.size()))) continue;
      const bool step = input_.random.chance(0.5);
      if (!step) child[d] = static_cast<uint16_t>(input_.random.below(values));
      else if (input_.random.chance(0.5)) child[d] = static_cast<uint16_t>(child[d] > 0 ? child[d] - 1 : 1);
      else child[d] = static_cast<uint16_t>(child[d] + 1u < values ? child[d] + 1 : child[d] - 1);
    }
    return child;
  }

  const StrategyInput& input_;
};

}  // namespace

Search genetic(StrategyInput input) {
  Population population(input);
  population.points = input.start;
  if (!fillUp(population.points, kPopulation, input)) co_return;
  for (;;) {
    population.times = co_yield Batch(population.points);
    population.points = population.nextGeneration();
  }
}

}  // namespace mneme::tune
