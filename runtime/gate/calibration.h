// SPDX-License-Identifier: Apache-2.0
/// How often the gate's decision would be wrong on a machine, from pairs measured there with the same code on both sides:
/// pairs are drawn again at random, each side being either by a coin, and decided many times.
#pragma once

#include <cstdint>
#include <vector>

#include "gate/decision.h"

namespace mneme::gate {

struct ErrorRates {
  unsigned trials = 0;
  double regression = 0;  ///< share of trials
  double undecided = 0;
  double improvement = 0;
  [[nodiscard]] double alarms() const { return regression + undecided; }
};

/// Decides `trials` comparisons whose candidate is `slowdown` times as slow as the measured pairs say (1: the same code).
/// Needs at least two pairs. The same pairs and seed give the same answer.
[[nodiscard]] ErrorRates resample(const std::vector<Pair>& same, const Limits& limits, double slowdown, unsigned trials,
                                  const Rule& rule = {}, uint64_t seed = 1);

/// The smallest slowdown that is found with at least this probability, to 0.1 % below 10 % and coarser above; 0 if none up
/// to twice as slow is.
[[nodiscard]] double smallestDetectable(const std::vector<Pair>& same, const Limits& limits, double probability,
                                        const Rule& rule = {}, uint64_t seed = 1);

/// The highest true rate that `seen` of `trials` leaves possible, one-sided with 95 % confidence (Clopper and Pearson).
[[nodiscard]] double highestRate(unsigned seen, unsigned trials);

}  // namespace mneme::gate
