// SPDX-License-Identifier: Apache-2.0
/// Free intervals by address and by size.
#include "backend/host/free_space.h"

namespace mneme::host {
namespace {

uint64_t alignUp(uint64_t value, uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

}  // namespace

void FreeSpace::insert(uint64_t base, uint64_t size) {
  if (size == 0) return;
  byBase_.emplace(base, size);
  bySize_.emplace(size, base);
}

void FreeSpace::erase(std::map<uint64_t, uint64_t>::iterator interval) {
  bySize_.erase({interval->second, interval->first});
  byBase_.erase(interval);
}

void FreeSpace::add(uint64_t base, uint64_t size) {
  auto next = byBase_.lower_bound(base);
  if (next != byBase_.end() && next->first == base + size) {
    size += next->second;
    auto joined = next++;
    erase(joined);
  }
  if (next != byBase_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == base) {
      base = previous->first;
      size += previous->second;
      erase(previous);
    }
  }
  insert(base, size);
}

uint64_t FreeSpace::cut(uint64_t intervalBase, uint64_t base, uint64_t size) {
  auto interval = byBase_.find(intervalBase);
  uint64_t end = interval->first + interval->second;
  erase(interval);
  insert(intervalBase, base - intervalBase);
  insert(base + size, end - (base + size));
  return base;
}

std::optional<uint64_t> FreeSpace::take(uint64_t size, uint64_t alignment) {
  constexpr int kTightTries = 8;  // beyond these, ask for an interval that fits however it is aligned
  auto candidate = bySize_.lower_bound({size, 0});
  for (int tries = 0; candidate != bySize_.end(); ++candidate, ++tries) {
    if (tries == kTightTries) candidate = bySize_.lower_bound({size + alignment, 0});
    if (candidate == bySize_.end()) break;
    uint64_t base = alignUp(candidate->second, alignment);
    if (base + size <= candidate->second + candidate->first) return cut(candidate->second, base, size);
  }
  return std::nullopt;
}

bool FreeSpace::takeAt(uint64_t base, uint64_t size) {
  auto interval = byBase_.upper_bound(base);
  if (interval == byBase_.begin()) return false;
  --interval;
  if (base + size > interval->first + interval->second) return false;
  cut(interval->first, base, size);
  return true;
}

}  // namespace mneme::host
