// SPDX-License-Identifier: Apache-2.0
/// The table of strategies; see strategy.h.
#include "tune/strategy.h"

#include <algorithm>
#include <array>

#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {
constexpr std::array kStrategies{
#define STRATEGY(function, name, summary) Strategy{name, summary, function},
#include "tune/strategies.def"
#undef STRATEGY
};
}  // namespace

std::span<const Strategy> strategies() { return kStrategies; }

Expected<const Strategy*> findStrategy(std::string_view name) {
  auto found = std::find_if(kStrategies.begin(), kStrategies.end(), [&](const Strategy& s) { return s.name == name; });
  if (found != kStrategies.end()) return &*found;
  std::string names;
  for (const auto& strategy : kStrategies) names += (names.empty() ? "" : ", ") + std::string(strategy.name);
  return Error(ErrorCode::InvalidArgument, "no strategy '" + std::string(name) + "'; there are " + names);
}

AskTell startStrategy(const Strategy& strategy, StrategyInput input, uint64_t seed) {
  const Domain& domain = input.domain;
  return {domain, strategy.start(std::move(input)), seed};
}

}  // namespace mneme::tune
