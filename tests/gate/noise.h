// SPDX-License-Identifier: Apache-2.0
/// Pairs of process medians as machines give them: noise between processes, drift, outliers.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "gate/decision.h"

namespace mneme::gate::test {

/// A machine on which a kernel takes `nanoseconds`.
struct Machine {
  double nanoseconds = 100'000;
  double noise = 0.005;       ///< relative deviation between processes
  double outliers = 0;        ///< share of processes that are a tenth slower
  double driftPerPair = 0;    ///< relative, of both sides
  double slowdown = 1;        ///< of the candidate
  std::mt19937_64 random{1};
  double drift = 1;

  double process() {
    std::normal_distribution<double> draw(1, noise);
    std::uniform_real_distribution<double> share(0, 1);
    return nanoseconds * drift * draw(random) * (share(random) < outliers ? 1.1 : 1);
  }
  Pair pair() {
    drift *= 1 + driftPerPair;
    const double baseline = process();
    return {baseline, process() * slowdown};
  }
  std::vector<Pair> pairs(size_t count) {
    std::vector<Pair> all;
    for (size_t i = 0; i < count; ++i) all.push_back(pair());
    return all;
  }
};

inline Judgement decideOn(Machine& machine, const Limits& limits = {}, const Rule& rule = {}) {
  Decision decision(limits, rule);
  while (decision.wanted() > 0) decision.add(machine.pair());
  return decision.judgement();
}

/// Share of comparisons with this verdict.
inline double shareOf(Verdict verdict, Machine machine, unsigned comparisons, const Limits& limits = {}) {
  unsigned seen = 0;
  for (unsigned i = 0; i < comparisons; ++i) {
    machine.drift = 1;
    seen += decideOn(machine, limits).verdict == verdict;
  }
  return static_cast<double>(seen) / comparisons;
}

}  // namespace mneme::gate::test
