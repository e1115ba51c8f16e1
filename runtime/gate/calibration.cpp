// SPDX-License-Identifier: Apache-2.0
/// See calibration.h.
#include "gate/calibration.h"

#include <cmath>
#include <random>
#include <utility>

namespace mneme::gate {
namespace {

constexpr unsigned kSearchTrials = 2000;
constexpr double kLargestSearched = 2.0;

Verdict decideOnce(const std::vector<Pair>& same, const Limits& limits, double slowdown, const Rule& rule,
                   std::mt19937_64& random) {
  std::uniform_int_distribution<size_t> pick(0, same.size() - 1);
  Decision decision(limits, rule);
  while (decision.wanted() > 0) {
    Pair pair = same[pick(random)];
    if (random() & 1) std::swap(pair.baseline, pair.candidate);
    pair.candidate *= slowdown;
    decision.add(pair);
  }
  return decision.judgement().verdict;
}

bool isFound(const std::vector<Pair>& same, const Limits& limits, double slowdown, double probability, const Rule& rule,
             uint64_t seed) {
  return resample(same, limits, slowdown, kSearchTrials, rule, seed).regression >= probability;
}

/// P(at most `seen` of `trials`) at this rate.
double atMost(unsigned seen, unsigned trials, double rate) {
  double sum = 0;
  for (unsigned k = 0; k <= seen; ++k)
    sum += std::exp(std::lgamma(trials + 1.0) - std::lgamma(k + 1.0) - std::lgamma(trials - k + 1.0) +
                    k * std::log(rate) + (trials - k) * std::log1p(-rate));
  return sum;
}

}  // namespace

ErrorRates resample(const std::vector<Pair>& same, const Limits& limits, double slowdown, unsigned trials,
                    const Rule& rule, uint64_t seed) {
  std::mt19937_64 random(seed);
  unsigned counts[4]{};
  for (unsigned i = 0; i < trials; ++i) ++counts[static_cast<size_t>(decideOnce(same, limits, slowdown, rule, random))];
  const auto share = [&](Verdict verdict) { return static_cast<double>(counts[static_cast<size_t>(verdict)]) / trials; };
  return {trials, share(Verdict::Regression), share(Verdict::Undecided), share(Verdict::Improvement)};
}

double smallestDetectable(const std::vector<Pair>& same, const Limits& limits, double probability, const Rule& rule,
                          uint64_t seed) {
  if (!isFound(same, limits, kLargestSearched, probability, rule, seed)) return 0;
  double below = 1, found = kLargestSearched;
  while (found - below > 0.001 * std::max(1.0, (found - 1) / 0.1)) {
    const double middle = (below + found) / 2;
    (isFound(same, limits, middle, probability, rule, seed) ? found : below) = middle;
  }
  return found;
}

double highestRate(unsigned seen, unsigned trials) {
  if (seen >= trials) return 1;
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (atMost(seen, trials, middle) > 0.05 ? low : high) = middle;
  }
  return high;
}

}  // namespace mneme::gate
