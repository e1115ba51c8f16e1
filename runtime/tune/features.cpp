// SPDX-License-Identifier: Apache-2.0
/// Points as numbers; see features.h.
#include "tune/features.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mneme::tune {
namespace {

constexpr size_t kPairedParameters = 10;

bool positive(const Parameter& parameter) {
  return parameter.numeric() && std::all_of(parameter.values.begin(), parameter.values.end(), [](const Value& v) { return *number(v) > 0; });
}

std::vector<float> scaleOf(const Parameter& parameter) {
  const bool numeric = parameter.numeric(), logarithmic = positive(parameter);
  std::vector<float> scale;
  for (size_t i = 0; i < parameter.values.size(); ++i) {
    const double value = numeric ? *number(parameter.values[i]) : static_cast<double>(i);
    scale.push_back(static_cast<float>(logarithmic ? std::log2(value) : value));
  }
  return scale;
}

/// How often two divides each value: hardware likes blocks and tiles that come out even. Nothing for what has no whole
/// numbers from 1 on, or whose values this tells no more of than their size does.
std::vector<float> twosOf(const Parameter& parameter) {
  std::vector<float> twos;
  bool powers = true;
  for (const auto& value : parameter.values) {
    const auto whole = integer(value);
    if (!whole || *whole < 1) return {};
    twos.push_back(static_cast<float>(std::countr_zero(static_cast<uint64_t>(*whole))));
    powers = powers && std::has_single_bit(static_cast<uint64_t>(*whole));
  }
  return powers ? std::vector<float>() : twos;
}

}  // namespace

FeatureMap::FeatureMap(const Domain& domain) {
  std::vector<size_t> logarithmic;
  twos_.resize(domain.dimensions());
  for (size_t d = 0; d < domain.dimensions(); ++d) {
    const auto& parameter = domain.parameters()[d];
    scale_.push_back(scaleOf(parameter));
    numeric_.push_back(parameter.numeric());
    if (parameter.values.size() < 2) continue;
    varying_.push_back(d);
    twos_[d] = twosOf(parameter);
    if (!twos_[d].empty()) aligned_.push_back(d);
    if (positive(parameter) && parameter.values.size() > 2) logarithmic.push_back(d);
  }
  std::stable_sort(logarithmic.begin(), logarithmic.end(), [&](size_t a, size_t b) { return domain.values(a) > domain.values(b); });
  if (logarithmic.size() > kPairedParameters) logarithmic.resize(kPairedParameters);
  for (size_t i = 0; i < logarithmic.size(); ++i)
    for (size_t j = i + 1; j < logarithmic.size(); ++j) pairs_.emplace_back(logarithmic[i], logarithmic[j]);
}

Features FeatureMap::of(const Point& point) const {
  Features features;
  features.reserve(varying_.size() + aligned_.size() + 2 * pairs_.size() + 1);
  for (size_t d : varying_) features.push_back(scale_[d][point[d]]);
  for (size_t d : aligned_) features.push_back(twos_[d][point[d]]);
  for (const auto& [a, b] : pairs_) {
    features.push_back(scale_[a][point[a]] + scale_[b][point[b]]);
    features.push_back(scale_[a][point[a]] - scale_[b][point[b]]);
  }
  if (features.empty()) features.push_back(0);
  return features;
}

double FeatureMap::distance(const Point& a, const Point& b) const {
  double sum = 0;
  for (size_t d : varying_) {
    const auto& scale = scale_[d];
    const double step = std::fabs(scale[a[d]] - scale[b[d]]) / std::max(1e-9, static_cast<double>(std::fabs(scale.back() - scale.front())));
    sum += numeric_[d] ? step * step : a[d] != b[d];
  }
  return std::sqrt(sum);
}

}  // namespace mneme::tune
