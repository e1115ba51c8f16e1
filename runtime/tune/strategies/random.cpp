// SPDX-License-Identifier: Apache-2.0
/// Any valid point, none twice where all are listed. The baseline for every other strategy.
#include <algorithm>
#include <numeric>

#include "tune/strategies/strategies.h"

namespace mneme::tune {
namespace {
constexpr size_t kAtOnce = 16;
}

Search randomSearch(StrategyInput input) {
  co_yield Batch(input.start);
  const auto listed = input.domain.points();
  std::vector<size_t> order(listed.size());
  std::iota(order.begin(), order.end(), size_t{0});
  input.random.shuffle(order);
  for (size_t first = 0; first < order.size(); first += kAtOnce) {
    Batch batch;
    for (size_t i = first; i < std::min(first + kAtOnce, order.size()); ++i) batch.points.push_back(listed[order[i]]);
    co_yield std::move(batch);
  }
  while (!input.domain.isListed()) {
    Batch batch;
    for (size_t i = 0; i < kAtOnce; ++i)
      if (auto point = input.domain.random(input.random)) batch.points.push_back(std::move(*point));
    if (batch.points.empty()) co_return;
    co_yield std::move(batch);
  }
}

}  // namespace mneme::tune
