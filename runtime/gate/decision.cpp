// SPDX-License-Identifier: Apache-2.0
/// Ratios are compared as logarithms: twice as slow and twice as fast are then equally far from equal.
#include "gate/decision.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "measure/rank_tests.h"

namespace mneme::gate {
namespace {

std::vector<double> logRatios(std::span<const Pair> pairs) {
  std::vector<double> ratios;
  for (const Pair& pair : pairs) ratios.push_back(std::log(pair.candidate / pair.baseline));
  return ratios;
}

double medianOf(std::span<const Pair> pairs, double Pair::* side) {
  std::vector<double> times;
  for (const Pair& pair : pairs) times.push_back(pair.*side);
  return measure::median(times);
}

/// Both floors as one ratio for a kernel of this length.
double limitFor(const Limits& limits, double baseline) {
  return std::max(limits.maxSlowdown, 1 + limits.minEffect / std::max(baseline, 1.0));
}

/// A slowdown may be as far beyond the limit as the limit is beyond equal before it must not be overlooked.
double mustNotMiss(double limit) { return 2 * limit - 1; }

Judgement estimateOf(std::span<const Pair> pairs, const Limits& limits, const Rule& rule) {
  const auto ratios = logRatios(pairs);
  const auto interval = measure::signedRankInterval(ratios, 0.95);
  Judgement now;
  now.ratio = std::exp(measure::signedRankCentre(ratios));
  now.interval = {std::exp(interval.low), std::exp(interval.high)};
  now.slowerProbability = measure::signedRankTest(ratios);
  now.bound = std::exp(measure::signedRankInterval(ratios, 2 * rule.certainty - 1).high);
  now.baseline = medianOf(pairs, &Pair::baseline);
  now.candidate = medianOf(pairs, &Pair::candidate);
  now.limit = limitFor(limits, now.baseline);
  now.pairs = pairs.size();
  return now;
}

bool isSlower(const Judgement& now, double level) { return now.slowerProbability <= level && now.ratio > now.limit; }

/// The same the other way round.
bool isFaster(std::span<const Pair> pairs, const Judgement& now, double level) {
  auto ratios = logRatios(pairs);
  for (double& ratio : ratios) ratio = -ratio;
  return measure::signedRankTest(ratios) <= level && now.ratio < 1 / now.limit;
}

/// What looks slower than is allowed never passes, however narrow the interval: more pairs tell.
bool isNotSlower(const Judgement& now) { return now.ratio <= now.limit && now.bound <= mustNotMiss(now.limit); }

}  // namespace

Decision::Decision(const Limits& limits, Rule rule) : limits_(limits), rule_(std::move(rule)) {}

unsigned Decision::wanted() const {
  if (phase_ == Phase::Decided) return 0;
  const size_t target = phase_ == Phase::Looking ? rule_.looks[look_] : confirmedFrom_ + rule_.confirmingPairs;
  return static_cast<unsigned>(target - std::min(target, pairs_.size()));
}

void Decision::add(const Pair& pair) {
  if (phase_ == Phase::Decided) return;
  pairs_.push_back(pair);
  if (wanted() == 0) phase_ == Phase::Looking ? look() : confirm();
}

void Decision::look() {
  const double level = rule_.suspicion / static_cast<double>(rule_.looks.size());
  const Judgement now = estimateOf(pairs_, limits_, rule_);
  if (isSlower(now, level)) {
    phase_ = Phase::Confirming;
    confirmedFrom_ = pairs_.size();
  } else if (isFaster(pairs_, now, level)) {
    decide(Verdict::Improvement, false);
  } else if (isNotSlower(now)) {
    decide(Verdict::Pass, false);
  } else {
    nextLook(false);
  }
}

void Decision::confirm() {
  const auto fresh = std::span<const Pair>(pairs_).subspan(confirmedFrom_);
  if (isSlower(estimateOf(fresh, limits_, rule_), rule_.confirmation)) return decide(Verdict::Regression, true);
  if (isNotSlower(estimateOf(pairs_, limits_, rule_))) return decide(Verdict::Pass, true);
  nextLook(true);
}

/// The next number of pairs that has not been passed by while confirming.
void Decision::nextLook(bool suspected) {
  judgement_.suspected |= suspected;
  phase_ = Phase::Looking;
  while (look_ < rule_.looks.size() && rule_.looks[look_] <= pairs_.size()) ++look_;
  if (look_ == rule_.looks.size()) decide(Verdict::Undecided, suspected);
}

void Decision::stop() {
  if (phase_ == Phase::Decided) return;
  if (pairs_.empty()) {
    phase_ = Phase::Decided;
    return;
  }
  const bool passes = phase_ == Phase::Looking && pairs_.size() >= rule_.looks.front() &&
                      isNotSlower(estimateOf(pairs_, limits_, rule_));
  decide(passes ? Verdict::Pass : Verdict::Undecided, phase_ == Phase::Confirming);
}

void Decision::decide(Verdict verdict, bool suspected) {
  const bool before = judgement_.suspected;
  judgement_ = estimateOf(pairs_, limits_, rule_);
  judgement_.verdict = verdict;
  judgement_.suspected = suspected || before;
  phase_ = Phase::Decided;
}

Judgement estimate(const std::vector<Pair>& pairs, const Limits& limits, const Rule& rule) {
  return estimateOf(pairs, limits, rule);
}

Judgement judgeAgainstStored(const std::vector<double>& stored, const std::vector<double>& now, const Limits& limits,
                             const Rule& rule) {
  Judgement judged;
  judged.baseline = measure::median(stored);
  judged.candidate = measure::median(now);
  judged.limit = limitFor(limits, judged.baseline);
  judged.ratio = judged.candidate / judged.baseline;
  judged.interval = measure::bootstrapRatio(now, stored, 0.95);
  judged.bound = measure::bootstrapRatio(now, stored, 2 * rule.certainty - 1).high;
  judged.slowerProbability = measure::mannWhitneyTest(now, stored);
  judged.pairs = std::min(stored.size(), now.size());
  const double level = rule.suspicion * rule.confirmation;
  if (isSlower(judged, level)) judged.verdict = Verdict::Regression;
  else if (measure::mannWhitneyTest(stored, now) <= level && judged.ratio < 1 / judged.limit) judged.verdict = Verdict::Improvement;
  else if (isNotSlower(judged)) judged.verdict = Verdict::Pass;
  return judged;
}

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass: return "pass";
    case Verdict::Regression: return "regression";
    case Verdict::Improvement: return "improvement";
    case Verdict::Undecided: return "undecided";
  }
  return "undecided";
}

}  // namespace mneme::gate
