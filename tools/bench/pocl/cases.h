// SPDX-License-Identifier: Apache-2.0
/// Sizes and timing that both programs share, so that they do the same work.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

constexpr int kVector = 1 << 24;   ///< elements of vector add, reduction and histogram
constexpr int kPlane = 4096;       ///< stencil: side of the plane
constexpr int kMatrix = 768;       ///< matrix product: side
constexpr int kBodies = 8192;
constexpr int kBins = 256;
constexpr int kBlock = 256;
constexpr int kTile = 16;

/// Prints the least time of several launches, and a sum of what they made.
template <typename Launch, typename Sum>
void measure(const char* name, Launch&& launch, Sum&& sum) {
  launch();
  double least = 1e9;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    launch();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%s %.6f %.6g\n", name, least, sum());
  std::fflush(stdout);
}

inline float input(int i) { return static_cast<float>((i * 37 + 11) % 101) / 101; }
inline int number(int i) { return (i * 2654435761u) >> 20; }

inline double total(const std::vector<float>& values) {
  double sum = 0;
  for (float value : values) sum += value;
  return sum;
}
