// SPDX-License-Identifier: Apache-2.0
/// A strategy let loose on a measured space: what it would have found, and when.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tune/measured_space.h"
#include "tune/strategy.h"

namespace mneme::tune {

struct Simulated {
  double best = kFailed;  ///< milliseconds; infinity if nothing worked
  size_t evaluations = 0;
  /// Evaluations so far and the best time so far, one pair an evaluation from the first that worked on.
  std::vector<std::pair<size_t, double>> trace;
};

/// An evaluation is the first request of a point, failed ones count. A request for few repetitions sees that many of
/// the point's samples; what counts as found is its full time. Ends early when nothing is left to ask for.
[[nodiscard]] Simulated simulate(const MeasuredSpace& space, const Strategy& strategy, size_t budget, uint64_t seed);

}  // namespace mneme::tune
