// SPDX-License-Identifier: Apache-2.0
/// Exact distributions by counting; half ranks of ties are counted in units of a half. See rank_tests.h.
#include "measure/rank_tests.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace mneme::measure {
namespace {

constexpr size_t kLargestExact = 60;

/// Twice the mid-rank of each value, from 2 on: an integer.
std::vector<uint32_t> doubledRanks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<uint32_t> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t past = first + 1;
    while (past < order.size() && values[order[past]] == values[order[first]]) ++past;
    for (size_t i = first; i < past; ++i) ranks[order[i]] = static_cast<uint32_t>(first + 1 + past);
    first = past;
  }
  return ranks;
}

/// P(sum of the ranks that a coin chose >= observed).
double coinTail(std::span<const uint32_t> ranks, uint64_t observed) {
  const uint64_t total = std::accumulate(ranks.begin(), ranks.end(), uint64_t{0});
  std::vector<double> share(total + 1, 0.0);
  share[0] = 1;
  uint64_t highest = 0;
  for (uint32_t rank : ranks) {
    highest += rank;
    for (uint64_t sum = highest + 1; sum-- > 0;)
      share[sum] = (share[sum] + (sum >= rank ? share[sum - rank] : 0.0)) / 2;
  }
  return std::accumulate(share.begin() + static_cast<std::ptrdiff_t>(std::min(observed, total + 1)), share.end(), 0.0);
}

double upperNormalTail(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

double coinTailNormal(std::span<const uint32_t> ranks, double observed) {
  double mean = 0, variance = 0;
  for (uint32_t rank : ranks) mean += rank / 2.0, variance += static_cast<double>(rank) * rank / 4;
  return variance == 0 ? 1 : upperNormalTail((observed - 1 - mean) / std::sqrt(variance));
}

/// Means of all pairs, each value with itself too; sorted.
std::vector<double> walshAverages(std::span<const double> values) {
  std::vector<double> means;
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  std::sort(means.begin(), means.end());
  return means;
}

/// How many of `size` sorted pair means lie outside on each side; counted for differences without ties. Resampling asks
/// the same few questions ten thousands of times: answers are kept.
size_t outsideEachSide(size_t differences, size_t size, double confidence) {
  thread_local std::map<std::pair<size_t, double>, size_t> known;
  if (const auto found = known.find({differences, confidence}); found != known.end()) return found->second;
  std::vector<uint32_t> ranks(differences);
  std::iota(ranks.begin(), ranks.end(), 1u);
  const double tail = (1 - confidence) / 2;
  size_t outside = 0;
  while (outside < size / 2 && coinTail(ranks, size - outside) <= tail) ++outside;
  return known[{differences, confidence}] = outside;
}

/// P(U >= observed) for `n` and `m` values without ties, by the usual recursion.
double mannWhitneyTail(size_t n, size_t m, uint64_t observed) {
  std::vector<std::vector<double>> share(n + 1, std::vector<double>(n * m + 1, 0.0));  // [values of `larger` left][U]
  for (size_t of = 0; of <= n; ++of) share[of][0] = 1;
  for (size_t others = 1; others <= m; ++others)
    for (size_t of = 1; of <= n; ++of) {
      const double mine = static_cast<double>(of) / static_cast<double>(of + others);
      for (size_t u = n * m + 1; u-- > 0;)
        share[of][u] = (1 - mine) * share[of][u] + mine * (u >= others ? share[of - 1][u - others] : 0.0);
    }
  return std::accumulate(share[n].begin() + static_cast<std::ptrdiff_t>(std::min<uint64_t>(observed, n * m + 1)),
                         share[n].end(), 0.0);
}

/// Twice U of `larger`: pairs that it wins, ties for half.
uint64_t doubledWins(std::span<const double> larger, std::span<const double> smaller, bool& ties) {
  uint64_t wins = 0;
  for (double a : larger)
    for (double b : smaller) {
      wins += a > b ? 2 : a == b ? 1 : 0;
      ties |= a == b;
    }
  return wins;
}

double mannWhitneyNormal(double n, double m, double wins) {
  const double deviation = std::sqrt(n * m * (n + m + 1) / 12);
  return deviation == 0 ? 1 : upperNormalTail((wins - 0.5 - n * m / 2) / deviation);
}

}  // namespace

double signedRankTest(std::span<const double> differences) {
  std::vector<double> sizes;
  for (double difference : differences) sizes.push_back(std::abs(difference));
  const auto all = doubledRanks(sizes);
  std::vector<uint32_t> ranks;
  uint64_t positive = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (differences[i] == 0) continue;  // keeps its rank from the others (Pratt)
    ranks.push_back(all[i]);
    if (differences[i] > 0) positive += all[i];
  }
  if (ranks.empty()) return 1;
  return ranks.size() <= kLargestExact ? coinTail(ranks, positive) : coinTailNormal(ranks, static_cast<double>(positive));
}

double signedRankCentre(std::span<const double> differences) { return median(walshAverages(differences)); }

Interval signedRankInterval(std::span<const double> differences, double confidence) {
  const auto means = walshAverages(differences);
  const size_t outside = outsideEachSide(differences.size(), means.size(), confidence);
  // Rejecting `outside` sums on each side leaves the means from number `outside` on; with none, all of them.
  const size_t first = outside == 0 ? 0 : outside - 1;
  return {means[first], means[means.size() - 1 - first]};
}

double mannWhitneyTest(std::span<const double> larger, std::span<const double> smaller) {
  if (larger.empty() || smaller.empty()) return 1;
  bool ties = false;
  const uint64_t wins = doubledWins(larger, smaller, ties);
  if (!ties && larger.size() + smaller.size() <= kLargestExact)
    return mannWhitneyTail(larger.size(), smaller.size(), wins / 2);
  return mannWhitneyNormal(static_cast<double>(larger.size()), static_cast<double>(smaller.size()),
                           static_cast<double>(wins) / 2);
}

}  // namespace mneme::measure
