// SPDX-License-Identifier: Apache-2.0
/// Plain statistics of small samples: medians, quantiles, robust spread, bootstrap intervals.
/// No device, no clock; the same samples and seed always give the same answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mneme::measure {

struct Interval {
  double low = 0, high = 0;
  [[nodiscard]] double width() const { return high - low; }
  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
};

/// Of at least one value; of an even number the mean of the middle two.
[[nodiscard]] double median(std::span<const double> samples);
/// Linear between order statistics; `fraction` in [0, 1], of at least one value.
[[nodiscard]] double quantile(std::span<const double> samples, double fraction);
/// The median absolute deviation, scaled to be a normal distribution's standard deviation.
[[nodiscard]] double robustDeviation(std::span<const double> samples);
/// robustDeviation over the median; 0 for a median of 0.
[[nodiscard]] double relativeSpread(std::span<const double> samples);
/// How much the second half's median lies over the first half's, as a fraction of the median: drift inside a run.
/// 0 for fewer than four samples.
[[nodiscard]] double relativeDrift(std::span<const double> samples);

/// Percentile bootstrap of the median; of at least one value.
[[nodiscard]] Interval bootstrapMedian(std::span<const double> samples, double confidence = 0.95,
                                       size_t resamples = 1000, uint64_t seed = 1);
/// Of median(numerator) / median(denominator), each resampled on its own.
[[nodiscard]] Interval bootstrapRatio(std::span<const double> numerator, std::span<const double> denominator,
                                      double confidence = 0.95, size_t resamples = 1000, uint64_t seed = 1);

}  // namespace mneme::measure
