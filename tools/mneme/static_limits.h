// SPDX-License-Identifier: Apache-2.0
/// Limits of the static gate: "registers=+0" (no more than the baseline), "spills=0" (at most), "occupancy=-0" (no less than
/// the baseline), "instructions=+5%".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::cli {

/// What a kernel's machine code needs, by metric: registers, spills (bytes), stack, shared, constant, instructions, code
/// (bytes), occupancy (percent). A metric that cannot be told is not there.
using Figures = std::map<std::string, double>;

struct StaticLimit {
  std::string metric;
  double value = 0;
  bool relative = false;  ///< to the baseline
  bool percent = false;   ///< of the baseline
};

/// InvalidArgument, saying what there is, for another metric or another form.
[[nodiscard]] Expected<StaticLimit> parseStaticLimit(const std::string& text);

/// The default limits, each replaced by one of the same metric that is given.
[[nodiscard]] Expected<std::vector<StaticLimit>> staticLimits(const std::vector<std::string>& given);

struct Excess {
  std::string metric;
  double baseline = 0, candidate = 0, allowed = 0;
};

/// The metrics that are beyond their limits, in the limits' order.
[[nodiscard]] std::vector<Excess> excesses(const std::vector<StaticLimit>& limits, const Figures& baseline,
                                           const Figures& candidate);

/// More of it is better.
[[nodiscard]] bool isBetterHigh(const std::string& metric);

}  // namespace mneme::cli
