// SPDX-License-Identifier: Apache-2.0
/// Is the candidate slower than the baseline? Decided on pairs of process launches, one of each side next to each other in
/// random order, so that what drifts between pairs cancels and what differs between processes is in the verdict.
///
/// A regression needs a rank test *and* an effect: Wilcoxon's signed-rank test on the pairs' ratios, and a centre of the
/// ratios above the limit. It is then only suspected, and has to show again on fresh pairs. If both sides are the same,
/// each pair's sign is a fair coin whatever the noise, so a suspicion has at most the probability Rule::suspicion, its
/// confirmation at most Rule::confirmation, and a false alarm at most their product.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/statistics.h"

namespace mneme::gate {

/// One process launch of each side, as the nanoseconds of one kernel launch (the process's median).
struct Pair {
  double baseline = 0, candidate = 0;
};

/// What counts as slower: more than both.
struct Limits {
  double maxSlowdown = 1.01;  ///< candidate over baseline
  double minEffect = 100;     ///< nanoseconds of one launch; shorter differences are the timer's
};

/// How it is decided. The product of the two levels bounds the false alarms.
struct Rule {
  std::vector<unsigned> looks{8, 12, 16, 24};  ///< pairs, in total, at which it may be decided
  double suspicion = 0.02;      ///< level of all looks together
  unsigned confirmingPairs = 8; ///< fresh ones
  double confirmation = 0.02;
  double certainty = 0.98;      ///< one-sided, of the bound below which a slowdown must lie to pass
};

enum class Verdict : uint8_t { Pass, Regression, Improvement, Undecided };

struct Judgement {
  Verdict verdict = Verdict::Undecided;
  double ratio = 1;               ///< candidate over baseline, centre of the pairs' ratios
  measure::Interval interval;     ///< of the ratio, 95 %
  double slowerProbability = 1;   ///< of the rank test: so much slower or more by chance
  double bound = 0;               ///< the ratio is below it, with Rule::certainty
  double limit = 1;               ///< the ratio that Limits allow for a kernel of this length
  double baseline = 0, candidate = 0;  ///< medians, nanoseconds
  size_t pairs = 0;
  bool suspected = false;         ///< was measured again
};

class Decision {
 public:
  explicit Decision(const Limits& limits, Rule rule = {});

  /// Pairs still to be measured before the next look; 0: decided.
  [[nodiscard]] unsigned wanted() const;
  void add(const Pair& pair);
  /// No time for more: decides on what there is.
  void stop();
  /// Fresh pairs are being taken for a suspicion.
  [[nodiscard]] bool confirming() const { return phase_ == Phase::Confirming; }
  /// After wanted() has become 0, or stop().
  [[nodiscard]] const Judgement& judgement() const { return judgement_; }

 private:
  enum class Phase : uint8_t { Looking, Confirming, Decided };
  void look();
  void confirm();
  void nextLook(bool suspected);
  void decide(Verdict verdict, bool suspected);

  Limits limits_;
  Rule rule_;
  Phase phase_ = Phase::Looking;
  size_t look_ = 0;          ///< index into rule_.looks
  size_t confirmedFrom_ = 0; ///< the first fresh pair
  std::vector<Pair> pairs_;
  Judgement judgement_;
};

/// What these pairs say, without a verdict: all numbers of a Judgement. Of at least one pair.
[[nodiscard]] Judgement estimate(const std::vector<Pair>& pairs, const Limits& limits, const Rule& rule = {});

/// Against stored times, one value a process: no pairs, and what differed between then and now is not in the verdict.
/// Mann and Whitney's test at Rule::suspicion times Rule::confirmation, with the same floors.
[[nodiscard]] Judgement judgeAgainstStored(const std::vector<double>& stored, const std::vector<double>& now,
                                           const Limits& limits, const Rule& rule = {});

[[nodiscard]] const char* name(Verdict verdict);

}  // namespace mneme::gate
