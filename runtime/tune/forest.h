// SPDX-License-Identifier: Apache-2.0
/// A forest of extremely randomised trees (Geurts et al., 2006): what a few hundred measurements say about other points.
/// Internal to tune/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tune/random.h"

namespace mneme::tune {

using Features = std::vector<float>;

struct Prediction {
  double mean = 0, deviation = 0;  ///< over the trees
};

class Forest {
 public:
  struct Options {
    size_t trees = 30;
    size_t leaf = 2;         ///< smallest number of samples that is split further is twice this
    double tried = 0.5;      ///< share of the features tried at each split
    bool bootstrap = false;  ///< each tree sees a sample with replacement
  };

  /// All features have the same length, which is at least 1; there is at least one sample.
  Forest(std::span<const Features* const> features, std::span<const double> targets, const Options& options, Random& random);
  [[nodiscard]] Prediction predict(const Features& features) const;

 private:
  struct Node {
    uint32_t feature = 0;
    float threshold = 0;
    uint32_t right = 0;   ///< 0: a leaf; the left child is the next node
    float value = 0, variance = 0;
  };
  struct Grower;
  std::vector<Node> nodes_;
  std::vector<uint32_t> roots_;
};

}  // namespace mneme::tune
