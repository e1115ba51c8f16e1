// SPDX-License-Identifier: Apache-2.0
/// Exact rank tests for a handful of values, and the interval that goes with one of them. They ask nothing of the
/// distribution of times, which has long tails; ties and zeros are counted against the one who claims a difference.
#pragma once

#include <span>

#include "measure/statistics.h"

namespace mneme::measure {

/// Wilcoxon's signed-rank test, one-sided: the probability of differences at least so positive if each had its sign by a
/// fair coin. Exact up to 60 differences, the normal approximation beyond. 1 for none.
[[nodiscard]] double signedRankTest(std::span<const double> differences);

/// Where the centre of symmetric differences lies: the median of all pairs' means (Hodges and Lehmann), of at least one.
[[nodiscard]] double signedRankCentre(std::span<const double> differences);
/// The centres that the signed-rank test does not reject, with at least this confidence (two-sided). The widest possible,
/// from the smallest to the largest difference, where so few differences cannot give that confidence.
[[nodiscard]] Interval signedRankInterval(std::span<const double> differences, double confidence = 0.95);

/// Mann and Whitney's test, one-sided: the probability that `larger` exceeds `smaller` at least so much if both came from
/// one distribution. Exact without ties up to 60 values together, the normal approximation with ties else. 1 for none.
[[nodiscard]] double mannWhitneyTest(std::span<const double> larger, std::span<const double> smaller);

}  // namespace mneme::measure
