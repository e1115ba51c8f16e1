// SPDX-License-Identifier: Apache-2.0
/// Tree-structured Parzen estimator: of points drawn from where the good ones are, the one least like the bad ones.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {

constexpr size_t kFirst = 16, kCandidates = 64;
constexpr double kGoodShare = 0.2;

/// How likely each value of each parameter is among some points; neighbours of a number share its weight.
class Density {
 public:
  Density(const Domain& domain, const std::vector<const Point*>& points) {
    for (size_t d = 0; d < domain.dimensions(); ++d) {
      std::vector<double> weights(domain.values(d), 1.0 / static_cast<double>(domain.values(d)));
      for (const auto* point : points) add(weights, (*point)[d], domain.parameters()[d].numeric());
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (auto& weight : weights) weight /= sum;
      weights_.push_back(std::move(weights));
    }
  }
  [[nodiscard]] double logarithm(const Point& point) const {
    double sum = 0;
    for (size_t d = 0; d < point.size(); ++d) sum += std::log(weights_[d][point[d]]);
    return sum;
  }
  [[nodiscard]] Point draw(Random& random) const {
    Point point;
    for (const auto& weights : weights_) {
      double u = random.unit();
      size_t index = 0;
      while (index + 1 < weights.size() && (u -= weights[index]) > 0) ++index;
      point.push_back(static_cast<uint16_t>(index));
    }
    return point;
  }

 private:
  static void add(std::vector<double>& weights, size_t index, bool numeric) {
    weights[index] += 0.7;
    if (!numeric) return;
    if (index > 0) weights[index - 1] += 0.15;
    if (index + 1 < weights.size()) weights[index + 1] += 0.15;
  }
  std::vector<std::vector<double>> weights_;
};

struct Observed {
  std::vector<Point> points;
  std::vector<double> times;
  std::unordered_set<Point, PointHash> seen;
  void add(const Point& point, double time) {
    points.push_back(point), times.push_back(time);
    seen.insert(point);
  }
};

std::optional<Point> propose(const StrategyInput& input, const Observed& observed) {
  std::vector<size_t> order(observed.points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return observed.times[a] < observed.times[b]; });
  const auto goodCount = std::max<size_t>(3, static_cast<size_t>(kGoodShare * static_cast<double>(order.size())));
  std::vector<const Point*> good, bad;
  for (size_t i = 0; i < order.size(); ++i) (i < goodCount ? good : bad).push_back(&observed.points[order[i]]);
  const Density likeGood(input.domain, good), likeBad(input.domain, bad);
  std::optional<Point> best;
  double bestScore = 0;
  for (size_t i = 0; i < kCandidates; ++i) {
    auto candidate = input.domain.repaired(likeGood.draw(input.random), input.random);
    if (!candidate || observed.seen.contains(*candidate)) continue;
    const double score = likeGood.logarithm(*candidate) - likeBad.logarithm(*candidate);
    if (!best || score > bestScore) best = std::move(candidate), bestScore = score;
  }
  return best ? best : input.domain.random(input.random);
}

}  // namespace

Search parzen(StrategyInput input) {
  Observed observed;
  Batch first(input.start);
  if (!fillUp(first.points, kFirst, input)) co_return;
  const auto times = co_yield Batch(first.points);
  for (size_t i = 0; i < times.size(); ++i) observed.add(first.points[i], times[i]);
  while (auto point = propose(input, observed)) {
    const double time = co_yield *point;
    observed.add(*point, time);
  }
}

}  // namespace mneme::tune
