// SPDX-License-Identifier: Apache-2.0
/// A pack of points led by its three best (as grey wolves are said to hunt); no member goes back to where one was lately.
#include <algorithm>
#include <deque>
#include <numeric>

#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {

constexpr size_t kPack = 8, kLeaders = 3, kRemembered = 60, kPatience = 24;

class Pack {
 public:
  explicit Pack(const StrategyInput& input) : input_(input) {}
  std::vector<Point> points;
  std::vector<double> times;

  void sort() {
    std::vector<size_t> order(points.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return times[a] < times[b]; });
    std::vector<Point> sortedPoints;
    std::vector<double> sortedTimes;
    for (size_t i : order) sortedPoints.push_back(points[i]), sortedTimes.push_back(times[i]);
    points = std::move(sortedPoints), times = std::move(sortedTimes);
  }
  void remember(const Point& point) {
    tabu_.push_back(point);
    if (tabu_.size() > kRemembered) tabu_.pop_front();
  }
  /// Where member i goes next: a neighbour of a leader, or a mix of leaders.
  std::optional<Point> move(size_t i) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      auto next = attempt % 2 ? neighbour(points[input_.random.below(kLeaders)]) : input_.domain.repaired(mixed(points[i]), input_.random);
      if (next && std::find(tabu_.begin(), tabu_.end(), *next) == tabu_.end()) return next;
    }
    return input_.domain.random(input_.random);
  }

 private:
  Point mixed(const Point& own) {
    Point result = own;
    for (size_t d = 0; d < own.size(); ++d) {
      const double u = input_.random.unit();
      if (u < 0.8) result[d] = points[input_.random.below(kLeaders)][d];
      else if (u > 0.92) result[d] = static_cast<uint16_t>(input_.random.below(input_.domain.values(d)));
    }
    return result;
  }
  std::optional<Point> neighbour(const Point& point) {
    auto near = input_.random.chance(0.5) ? input_.domain.adjacent(point) : input_.domain.oneChanged(point);
    if (near.empty()) return std::nullopt;
    return near[input_.random.below(near.size())];
  }

  const StrategyInput& input_;
  std::deque<Point> tabu_;
};

}  // namespace

Search tabu(StrategyInput input) {
  Pack pack(input);
  pack.points = input.start;
  if (!fillUp(pack.points, kPack, input)) co_return;
  pack.times = co_yield Batch(pack.points);
  size_t idle = 0;
  for (;;) {
    pack.sort();
    const size_t last = pack.points.size() - 1;
    // The slowest member moves; where nothing got better for long, it starts anew.
    auto next = idle > kPatience ? input.domain.random(input.random) : pack.move(last);
    if (!next) co_return;
    if (idle > kPatience) idle = 0;
    const double time = co_yield *next;
    pack.remember(*next);
    idle = time < pack.times[0] ? 0 : idle + 1;
    if (time <= pack.times[last] || input.random.chance(0.1)) pack.points[last] = *next, pack.times[last] = time;
  }
}

}  // namespace mneme::tune
