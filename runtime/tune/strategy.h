// SPDX-License-Identifier: Apache-2.0
/// The strategies by name. A new one is a file in strategies/, a line in strategies.def, and nothing else.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "tune/search.h"

namespace mneme::tune {

struct Strategy {
  std::string_view name;
  std::string_view summary;          ///< one line, for help
  Search (*start)(StrategyInput input);
};

/// Every strategy; the first is the default.
[[nodiscard]] std::span<const Strategy> strategies();
/// InvalidArgument with the names there are.
[[nodiscard]] Expected<const Strategy*> findStrategy(std::string_view name);

/// The strategy at work. `domain` and `random` outlive it.
[[nodiscard]] AskTell startStrategy(const Strategy& strategy, StrategyInput input, uint64_t seed);

}  // namespace mneme::tune
