// SPDX-License-Identifier: Apache-2.0
/// The default strategy: a forest learns from what was measured, and says which point is expected to improve most.
/// Only the faster half of what was measured is told apart; that leaves the model's detail to where the optimum is.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "tune/features.h"
#include "tune/forest.h"
#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {

constexpr size_t kFirst = 15;           ///< points before the model is asked
constexpr size_t kSpreadTries = 10;     ///< random points of which the one farthest from all others is taken
constexpr double kSlowShare = 0.5;      ///< this share of the measurements counts as equally slow
constexpr size_t kRandomCandidates = 1000, kBestPoints = 5;
constexpr size_t kMostSamples = 400;    ///< the model learns from the best and the newest of more
constexpr Forest::Options kForest{30, 1, 0.5, false};

/// Expected improvement over `best` of a normal distribution.
double improvement(const Prediction& prediction, double best) {
  const double deviation = std::max(prediction.deviation, 1e-6), z = (best - prediction.mean) / deviation;
  const double density = std::exp(-z * z / 2) * 0.3989422804014327, below = 0.5 * std::erfc(-z * 0.7071067811865476);
  return deviation * (z * below + density);
}

class Model {
 public:
  explicit Model(const StrategyInput& input) : input_(input), map_(input.domain) {}

  [[nodiscard]] size_t size() const { return points_.size(); }

  void learn(const std::vector<Point>& points, const std::vector<double>& times) {
    for (size_t i = 0; i < points.size(); ++i) {
      if (!seen_.insert(points[i]).second) continue;
      points_.push_back(points[i]);
      times_.push_back(times[i]);
      features_.push_back(map_.of(points[i]));
    }
  }

  /// Points far from each other.
  std::vector<Point> spread() {
    std::vector<Point> chosen = input_.start;
    while (chosen.size() < kFirst) {
      auto next = farthest(chosen);
      if (!next) break;
      chosen.push_back(std::move(*next));
    }
    return chosen;
  }

  /// The points of which most is expected; none when nothing new is found.
  std::vector<Point> propose(size_t count) {
    const auto order = fastestFirst();
    const auto samples = samplesOf(order);
    std::vector<const Features*> features;
    for (size_t i : samples) features.push_back(&features_[i]);
    const auto targets = targetsOf(samples, order);
    const Forest forest(features, targets, kForest, input_.random);
    const double best = *std::min_element(targets.begin(), targets.end());
    auto candidates = candidatesNear(order);
    std::vector<std::pair<double, size_t>> scores;
    for (size_t i = 0; i < candidates.size(); ++i) scores.emplace_back(-improvement(forest.predict(map_.of(candidates[i])), best), i);
    const size_t taken = std::min(count, scores.size());
    std::partial_sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(taken), scores.end());
    std::vector<Point> chosen;
    for (size_t i = 0; i < taken; ++i) chosen.push_back(std::move(candidates[scores[i].second]));
    return chosen;
  }

 private:
  std::optional<Point> farthest(const std::vector<Point>& from) {
    std::optional<Point> best;
    double bestDistance = -1;
    for (size_t i = 0; i < kSpreadTries; ++i) {
      auto point = input_.domain.random(input_.random);
      if (!point) return best;
      double distance = std::numeric_limits<double>::max();
      for (const auto& other : from) distance = std::min(distance, map_.distance(*point, other));
      if (distance > bestDistance) best = std::move(point), bestDistance = distance;
    }
    return best;
  }

  [[nodiscard]] std::vector<size_t> fastestFirst() const {
    std::vector<size_t> order(points_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return times_[a] < times_[b]; });
    return order;
  }

  [[nodiscard]] std::vector<size_t> samplesOf(const std::vector<size_t>& order) const {
    if (order.size() <= kMostSamples) return order;
    std::vector<size_t> samples(order.begin(), order.begin() + kMostSamples / 2);
    std::unordered_set<size_t> taken(samples.begin(), samples.end());
    for (size_t i = points_.size(); samples.size() < kMostSamples; --i)
      if (taken.insert(i - 1).second) samples.push_back(i - 1);
    return samples;
  }

  /// Logarithms, so that a factor counts the same everywhere; all that is slow or failed counts as equally slow.
  [[nodiscard]] std::vector<double> targetsOf(const std::vector<size_t>& samples, const std::vector<size_t>& order) const {
    const auto failed = std::find_if(order.begin(), order.end(), [&](size_t i) { return times_[i] == kFailed; });
    const auto worked = static_cast<size_t>(failed - order.begin());
    const double slow = worked == 0 ? 0 : std::log(times_[order[static_cast<size_t>(kSlowShare * static_cast<double>(worked - 1))]]);
    std::vector<double> targets;
    for (size_t i : samples) targets.push_back(times_[i] == kFailed ? slow : std::min(slow, std::log(times_[i])));
    return targets;
  }

  std::vector<Point> candidatesNear(const std::vector<size_t>& order) {
    std::vector<Point> candidates;
    std::unordered_set<Point, PointHash> taken;
    auto add = [&](Point point) {
      if (!seen_.contains(point) && taken.insert(point).second) candidates.push_back(std::move(point));
    };
    for (size_t i = 0; i < kRandomCandidates; ++i)
      if (auto point = input_.domain.random(input_.random)) add(std::move(*point));
    for (size_t i = 0; i < std::min(order.size(), kBestPoints); ++i)
      for (auto& point : input_.domain.oneChanged(points_[order[i]])) add(std::move(point));
    return candidates;
  }

  const StrategyInput& input_;
  FeatureMap map_;
  std::vector<Point> points_;
  std::vector<double> times_;
  std::vector<Features> features_;
  std::unordered_set<Point, PointHash> seen_;
};

/// Late in a search one more point changes the model little.
size_t atOnce(size_t known) { return known < 60 ? 1 : known < 120 ? 2 : known < 400 ? 4 : 16; }

}  // namespace

Search automatic(StrategyInput input) {
  Model model(input);
  auto points = model.spread();
  while (!points.empty()) {
    const auto times = co_yield Batch(points);
    model.learn(points, times);
    points = model.propose(atOnce(model.size()));
  }
}

}  // namespace mneme::tune
