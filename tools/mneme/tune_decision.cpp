// SPDX-License-Identifier: Apache-2.0
/// See tune_decision.h.
#include "tune_decision.h"

#include <algorithm>

#include "measure/statistics.h"

namespace mneme::cli {
namespace {

constexpr double kLeastGain = 1.01;

}  // namespace

std::vector<double> Contender::samples() const {
  std::vector<double> all;
  for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
  return all;
}

bool sameCode(const std::string& a, const std::string& b) { return !a.empty() && a == b; }

double gainFloor(const Contender& base) {
  std::vector<double> medians;
  for (const auto& round : base.rounds) medians.push_back(measure::median(round));
  if (medians.empty()) return kLeastGain;
  const auto [fastest, slowest] = std::minmax_element(medians.begin(), medians.end());
  return std::max(kLeastGain, *slowest / *fastest);
}

std::optional<Winner> chooseWinner(const Contender& base, std::span<const Contender> finalists) {
  std::optional<Winner> winner;
  const auto baseSamples = base.samples();
  if (baseSamples.empty()) return winner;
  const double floor = gainFloor(base), baseTime = measure::median(baseSamples);
  for (size_t place = 0; place < finalists.size(); ++place) {
    const auto& one = finalists[place];
    const auto samples = one.samples();
    if (!one.worked || samples.empty() || sameCode(one.code, base.code)) continue;
    const auto gain = measure::bootstrapRatio(baseSamples, samples);
    const double time = measure::median(samples);
    if (gain.low <= floor || (winner && time >= winner->nanoseconds)) continue;
    winner = Winner{place, time, baseTime / time, gain.low, gain.high};
  }
  return winner;
}

}  // namespace mneme::cli
