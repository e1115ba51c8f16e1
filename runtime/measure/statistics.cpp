// SPDX-License-Identifier: Apache-2.0
/// See statistics.h.
#include "measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace mneme::measure {
namespace {

constexpr double kNormalConsistency = 1.4826;

/// Reorders its argument.
double medianInPlace(std::vector<double>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  if (values.size() % 2 == 1) return *half;
  return (*half + *std::max_element(values.begin(), half)) / 2;
}

double resampledMedian(std::span<const double> samples, std::mt19937_64& random, std::vector<double>& scratch) {
  std::uniform_int_distribution<size_t> pick(0, samples.size() - 1);
  scratch.clear();
  for (size_t i = 0; i < samples.size(); ++i) scratch.push_back(samples[pick(random)]);
  return medianInPlace(scratch);
}

Interval percentiles(std::span<const double> values, double confidence) {
  const double tail = (1 - confidence) / 2;
  return {quantile(values, tail), quantile(values, 1 - tail)};
}

}  // namespace

double median(std::span<const double> samples) {
  std::vector<double> values(samples.begin(), samples.end());
  return medianInPlace(values);
}

double quantile(std::span<const double> samples, double fraction) {
  std::vector<double> values(samples.begin(), samples.end());
  std::sort(values.begin(), values.end());
  const double place = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double robustDeviation(std::span<const double> samples) {
  const double middle = median(samples);
  std::vector<double> distances;
  for (double sample : samples) distances.push_back(std::abs(sample - middle));
  return kNormalConsistency * medianInPlace(distances);
}

double relativeSpread(std::span<const double> samples) {
  const double middle = median(samples);
  return middle == 0 ? 0 : robustDeviation(samples) / std::abs(middle);
}

double relativeDrift(std::span<const double> samples) {
  if (samples.size() < 4) return 0;
  const double middle = median(samples);
  const size_t half = samples.size() / 2;
  return middle == 0 ? 0 : (median(samples.last(half)) - median(samples.first(half))) / middle;
}

Interval bootstrapMedian(std::span<const double> samples, double confidence, size_t resamples, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> medians, scratch;
  for (size_t i = 0; i < resamples; ++i) medians.push_back(resampledMedian(samples, random, scratch));
  return percentiles(medians, confidence);
}

Interval bootstrapRatio(std::span<const double> numerator, std::span<const double> denominator, double confidence,
                        size_t resamples, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> ratios, scratch;
  for (size_t i = 0; i < resamples; ++i) {
    const double above = resampledMedian(numerator, random, scratch);
    ratios.push_back(above / resampledMedian(denominator, random, scratch));
  }
  return percentiles(ratios, confidence);
}

}  // namespace mneme::measure
