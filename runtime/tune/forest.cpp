// SPDX-License-Identifier: Apache-2.0
/// Growing and asking; see forest.h.
#include "tune/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mneme::tune {

struct Forest::Grower {
  std::vector<std::vector<float>> byFeature;  ///< a feature's values over all samples lie together
  std::span<const double> targets;
  const Options& options;
  Random& random;
  std::vector<Node>& nodes;
  std::vector<uint32_t> samples;
  std::vector<uint32_t> columns;  ///< features in the order in which this node tries them

  struct Split {
    uint32_t feature = 0;
    float threshold = 0;
    double gain = 0;
  };
  struct Moments {
    double count = 0, sum = 0, squares = 0;
    void add(double y) { count += 1, sum += y, squares += y * y; }
    [[nodiscard]] double error() const { return count > 0 ? squares - sum * sum / count : 0; }
  };

  Moments momentsOf(std::span<const uint32_t> part) const {
    Moments moments;
    for (uint32_t sample : part) moments.add(targets[sample]);
    return moments;
  }

  /// Looks at one feature with one random threshold; 0 gain if it is constant here.
  Split trySplit(std::span<const uint32_t> part, uint32_t feature, const Moments& whole) {
    const float* values = byFeature[feature].data();
    float low = values[part[0]], high = low;
    for (uint32_t sample : part) low = std::min(low, values[sample]), high = std::max(high, values[sample]);
    if (!(low < high)) return {};
    const auto threshold = static_cast<float>(low + (high - low) * random.unit());
    Moments left;
    for (uint32_t sample : part)
      if (values[sample] <= threshold) left.add(targets[sample]);
    if (left.count == whole.count) return {};
    const Moments right{whole.count - left.count, whole.sum - left.sum, whole.squares - left.squares};
    return {feature, threshold, whole.error() - left.error() - right.error() + 1e-12};
  }

  Split bestSplit(std::span<const uint32_t> part, const Moments& whole) {
    const auto wanted = std::max<size_t>(1, static_cast<size_t>(options.tried * static_cast<double>(columns.size())));
    Split best;
    size_t tried = 0;
    for (size_t i = 0; i < columns.size() && tried < wanted; ++i) {
      std::swap(columns[i], columns[i + random.below(columns.size() - i)]);
      const Split split = trySplit(part, columns[i], whole);
      tried += split.gain > 0;
      if (split.gain > best.gain) best = split;
    }
    return best;
  }

  void grow(std::span<uint32_t> part) {
    const Moments whole = momentsOf(part);
    const size_t here = nodes.size();
    nodes.push_back({0, 0, 0, static_cast<float>(whole.sum / whole.count), static_cast<float>(std::max(0.0, whole.error() / whole.count))});
    if (part.size() < 2 * options.leaf || whole.error() <= 1e-12) return;
    const Split split = bestSplit(part, whole);
    if (split.gain <= 0) return;
    auto middle = std::partition(part.begin(), part.end(), [&](uint32_t sample) { return byFeature[split.feature][sample] <= split.threshold; });
    const auto leftSize = static_cast<size_t>(middle - part.begin());
    nodes[here].feature = split.feature;
    nodes[here].threshold = split.threshold;
    grow(part.first(leftSize));
    nodes[here].right = static_cast<uint32_t>(nodes.size());
    grow(part.subspan(leftSize));
  }
};

namespace {
std::vector<std::vector<float>> transposed(std::span<const Features* const> features) {
  std::vector<std::vector<float>> result(features[0]->size(), std::vector<float>(features.size()));
  for (size_t i = 0; i < features.size(); ++i)
    for (size_t f = 0; f < result.size(); ++f) result[f][i] = (*features[i])[f];
  return result;
}
}  // namespace

Forest::Forest(std::span<const Features* const> features, std::span<const double> targets, const Options& options, Random& random) {
  Grower grower{transposed(features), targets, options, random, nodes_, std::vector<uint32_t>(features.size()), std::vector<uint32_t>(features[0]->size())};
  std::iota(grower.columns.begin(), grower.columns.end(), uint32_t{0});
  for (size_t tree = 0; tree < options.trees; ++tree) {
    std::iota(grower.samples.begin(), grower.samples.end(), uint32_t{0});
    if (options.bootstrap)
      for (auto& sample : grower.samples) sample = static_cast<uint32_t>(random.below(features.size()));
    roots_.push_back(static_cast<uint32_t>(nodes_.size()));
    grower.grow(grower.samples);
  }
}

Prediction Forest::predict(const Features& features) const {
  double sum = 0, squares = 0;
  for (uint32_t root : roots_) {
    uint32_t at = root;
    while (nodes_[at].right != 0) at = features[nodes_[at].feature] <= nodes_[at].threshold ? at + 1 : nodes_[at].right;
    sum += nodes_[at].value;
    squares += nodes_[at].value * nodes_[at].value + nodes_[at].variance;
  }
  const auto count = static_cast<double>(roots_.size());
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace mneme::tune
