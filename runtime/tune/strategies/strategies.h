// SPDX-License-Identifier: Apache-2.0
/// The coroutines that strategies.def names, one a file. Internal to tune/.
#pragma once

#include "tune/search.h"

namespace mneme::tune {

#define STRATEGY(function, name, summary) Search function(StrategyInput input);
#include "tune/strategies.def"
#undef STRATEGY

}  // namespace mneme::tune
