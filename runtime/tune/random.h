// SPDX-License-Identifier: Apache-2.0
/// Random numbers that are the same with every standard library: a seed stands for one search everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace mneme::tune {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  /// 0 … bound-1; bound is at least 1. The bias is below bound / 2^64.
  size_t below(size_t bound) { return static_cast<size_t>((static_cast<unsigned __int128>(engine_()) * bound) >> 64); }
  /// 0 <= x < 1
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }
  double normal() { return std::sqrt(-2 * std::log(1 - unit())) * std::cos(6.283185307179586 * unit()); }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mneme::tune
