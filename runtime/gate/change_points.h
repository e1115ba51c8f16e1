// SPDX-License-Identifier: Apache-2.0
/// Where a series of times changed its level and stayed there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mneme::gate {

struct Segment {
  size_t first = 0, last = 0;  ///< indices, both inside
  double level = 0;            ///< median
};

/// The series as pieces of constant level (an L1 Potts fit of the logarithms): few pieces and little distance from them, what
/// is little being told by the differences of neighbours. Levels that differ by less than `smallest` (0.01: 1 %) are one.
/// One segment for a series without a change; none for an empty one. Values are positive; time grows with the square of the
/// number, so the last few hundred are enough.
[[nodiscard]] std::vector<Segment> segments(std::span<const double> series, double smallest = 0.01);

}  // namespace mneme::gate
