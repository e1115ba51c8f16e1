// SPDX-License-Identifier: Apache-2.0
/// What a model sees of a point: each parameter, how even its numbers are, and products and quotients of pairs (threads in a
/// block, elements in a tile), which is what kernels' times depend on. Internal to tune/.
#pragma once

#include <utility>
#include <vector>

#include "tune/domain.h"
#include "tune/forest.h"

namespace mneme::tune {

class FeatureMap {
 public:
  explicit FeatureMap(const Domain& domain);
  [[nodiscard]] Features of(const Point& point) const;
  /// How far two points are apart: each parameter counts by the share of its range that lies between.
  [[nodiscard]] double distance(const Point& a, const Point& b) const;

 private:
  std::vector<std::vector<float>> scale_;          ///< by parameter and value: a logarithm, the number, or the place
  std::vector<size_t> varying_;                    ///< parameters with more than one value
  std::vector<bool> numeric_;
  std::vector<size_t> aligned_;                    ///< whole numbers that are divisible by different powers of two
  std::vector<std::vector<float>> twos_;           ///< by parameter and value: how often two divides it
  std::vector<std::pair<size_t, size_t>> pairs_;   ///< of parameters on a logarithmic scale
};

}  // namespace mneme::tune
