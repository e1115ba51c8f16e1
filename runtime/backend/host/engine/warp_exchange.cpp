// SPDX-License-Identifier: Apache-2.0
/// Shuffles, votes, matches and reductions over the lanes that met.
#include "backend/host/engine/warp_exchange.h"

#include <algorithm>
#include <bit>

namespace mneme::host {
namespace {

template <typename Function>
void forEach(uint32_t lanes, Function function) {
  for (; lanes; lanes &= lanes - 1) function(static_cast<uint32_t>(std::countr_zero(lanes)));
}

/// PTX shfl: the source lane and whether it lies in the segment.
struct Source {
  uint32_t lane;
  bool inRange;
};
Source sourceOf(const ExchangeSlot& slot, uint32_t lane, PointKind kind) {
  const int own = static_cast<int>(lane), by = static_cast<int>(slot.lane & 31);
  const int segment = static_cast<int>(slot.clamp >> 8 & 31), clamp = static_cast<int>(slot.clamp & 31);
  const int most = (own & segment) | (clamp & ~segment), least = own & segment;
  int from = own;
  bool inRange = false;
  switch (kind) {
    case PointKind::ShuffleUp: from = own - by, inRange = from >= most; break;
    case PointKind::ShuffleDown: from = own + by, inRange = from <= most; break;
    case PointKind::ShuffleXor: from = own ^ by, inRange = from <= most; break;
    default: from = least | (by & ~segment), inRange = from <= most; break;
  }
  return {static_cast<uint32_t>(inRange ? from : own), inRange};
}

void shuffle(ExchangeSlot* slots, uint32_t lanes, PointKind kind) {
  forEach(lanes, [&](uint32_t lane) {
    auto source = sourceOf(slots[lane], lane, kind);
    const bool met = lanes >> source.lane & 1;
    const uint64_t value = slots[met ? source.lane : lane].value & 0xffffffffu;
    slots[lane].result = value | static_cast<uint64_t>(source.inRange) << 32;
  });
}

void vote(ExchangeSlot* slots, uint32_t lanes, PointKind kind) {
  uint32_t ballot = 0;
  forEach(lanes, [&](uint32_t lane) { ballot |= static_cast<uint32_t>(slots[lane].value & 1) << lane; });
  uint64_t answer = ballot;
  if (kind == PointKind::VoteAll) answer = ballot == lanes;
  if (kind == PointKind::VoteAny) answer = ballot != 0;
  if (kind == PointKind::VoteUni) answer = ballot == 0 || ballot == lanes;
  forEach(lanes, [&](uint32_t lane) { slots[lane].result = answer; });
}

void match(ExchangeSlot* slots, uint32_t lanes, PointKind kind) {
  forEach(lanes, [&](uint32_t lane) {
    uint32_t same = 0;
    forEach(lanes, [&](uint32_t other) { same |= static_cast<uint32_t>(slots[other].value == slots[lane].value) << other; });
    if (kind == PointKind::MatchAny) slots[lane].result = same;
    else slots[lane].result = same == lanes ? lanes | uint64_t{1} << 32 : 0;
  });
}

uint32_t combine(uint32_t a, uint32_t b, PointKind kind) {
  const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (kind) {
    case PointKind::ReduxAdd: return a + b;
    case PointKind::ReduxMin: return static_cast<uint32_t>(std::min(x, y));
    case PointKind::ReduxMax: return static_cast<uint32_t>(std::max(x, y));
    case PointKind::ReduxUmin: return std::min(a, b);
    case PointKind::ReduxUmax: return std::max(a, b);
    case PointKind::ReduxAnd: return a & b;
    case PointKind::ReduxOr: return a | b;
    default: return a ^ b;
  }
}

void reduce(ExchangeSlot* slots, uint32_t lanes, PointKind kind) {
  auto result = static_cast<uint32_t>(slots[std::countr_zero(lanes)].value);
  forEach(lanes & (lanes - 1), [&](uint32_t lane) { result = combine(result, static_cast<uint32_t>(slots[lane].value), kind); });
  forEach(lanes, [&](uint32_t lane) { slots[lane].result = result; });
}

}  // namespace

void exchangeLanes(ExchangeSlot* slots, uint32_t lanes, PointKind kind) {
  if (kind == PointKind::ActiveMask) forEach(lanes, [&](uint32_t lane) { slots[lane].result = lanes; });
  if (kind >= PointKind::ShuffleIdx && kind <= PointKind::ShuffleXor) shuffle(slots, lanes, kind);
  else if (kind >= PointKind::VoteAll && kind <= PointKind::VoteBallot) vote(slots, lanes, kind);
  else if (kind == PointKind::MatchAny || kind == PointKind::MatchAll) match(slots, lanes, kind);
  else if (kind >= PointKind::ReduxAdd && kind <= PointKind::ReduxXor) reduce(slots, lanes, kind);
}

}  // namespace mneme::host
