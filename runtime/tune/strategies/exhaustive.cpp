// SPDX-License-Identifier: Apache-2.0
/// Every valid point in the parameters' order, found while it goes: a large space is never stored.
#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {
constexpr size_t kAtOnce = 16;
}

Search exhaustive(StrategyInput input) {
  co_yield Batch(input.start);
  if (input.domain.isListed()) {
    co_yield Batch(std::vector<Point>(input.domain.points().begin(), input.domain.points().end()));
    co_return;
  }
  auto all = input.domain.enumerate();
  for (;;) {
    Batch batch;
    while (batch.points.size() < kAtOnce) {
      auto point = all.next();
      if (!point) break;
      batch.points.push_back(std::move(*point));
    }
    if (batch.points.empty()) co_return;
    co_yield std::move(batch);
  }
}

}  // namespace mneme::tune
