// SPDX-License-Identifier: Apache-2.0
/// memcmp first; elements are looked at only in chunks that differ. See compare.h.
#include "replay/compare.h"

#include <algorithm>
#include <cstring>

namespace mneme::replay {
namespace {

void widen(Distance& worst, const Distance& seen) {
  worst.absolute = std::max(worst.absolute, seen.absolute);
  worst.relative = std::max(worst.relative, seen.relative);
  worst.ulp = std::max(worst.ulp, seen.ulp);
}

/// Bytes of unknown type are shown as the aligned four bytes around the first difference.
Mismatch describe(ElementType type, uint64_t chunkOffset, size_t at, std::span<const std::byte> expected,
                  std::span<const std::byte> got) {
  size_t shown = at;
  auto shownAs = type;
  if (type == ElementType::Bytes && at / 4 * 4 + 4 <= expected.size()) {
    shown = at / 4 * 4;
    shownAs = likelyType(expected.subspan(shown, 4), got.subspan(shown, 4));
  }
  return {chunkOffset + shown, (chunkOffset + shown) / format::sizeOf(shownAs), shownAs,
          elementText(shownAs, &expected[shown]), elementText(shownAs, &got[shown])};
}

/// One chunk's elements; a tail shorter than an element is compared as bytes.
RegionResult compareElements(const RegionRule& rule, uint64_t chunkOffset, std::span<const std::byte> expected,
                             std::span<const std::byte> got) {
  RegionResult result;
  for (size_t at = 0; at < expected.size();) {
    auto type = format::sizeOf(rule.element) <= expected.size() - at ? rule.element : ElementType::Bytes;
    size_t size = format::sizeOf(type);
    if (std::memcmp(&expected[at], &got[at], size) != 0 && !bothNaN(type, &expected[at], &got[at])) {
      widen(result.worst, distance(type, &expected[at], &got[at]));
      bool fine = allowed(type, &expected[at], &got[at], rule.limits);
      ++(fine ? result.inexact : result.wrong);
      if (!fine && !result.first) result.first = describe(type, chunkOffset, at, expected, got);
    }
    at += size;
  }
  return result;
}

}  // namespace

bool Comparison::passed() const { return wrong() == 0; }

bool Comparison::identical() const {
  return std::all_of(regions.begin(), regions.end(), [](const RegionResult& r) { return r.wrong + r.inexact == 0; });
}

Distance Comparison::worst() const {
  Distance worst;
  for (const auto& region : regions) widen(worst, region.worst);
  return worst;
}

uint64_t Comparison::wrong() const {
  uint64_t sum = 0;
  for (const auto& region : regions) sum += region.wrong;
  return sum;
}

Comparer::Comparer(std::vector<RegionRule> rules) : rules_(std::move(rules)) { comparison_.regions.resize(rules_.size()); }

void Comparer::compare(size_t region, uint64_t offset, std::span<const std::byte> expected,
                       std::span<const std::byte> got) {
  RegionResult found;
  if (std::memcmp(expected.data(), got.data(), expected.size()) != 0)
    found = compareElements(rules_[region], offset, expected, got);
  std::lock_guard lock(mutex_);
  comparison_.bytes += expected.size();
  auto& result = comparison_.regions[region];
  result.wrong += found.wrong;
  result.inexact += found.inexact;
  widen(result.worst, found.worst);
  if (found.first && (!result.first || found.first->offset < result.first->offset)) result.first = found.first;
}

void Comparer::addEqual(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  comparison_.bytes += bytes;
}

Comparison Comparer::result() { return comparison_; }

}  // namespace mneme::replay
