// SPDX-License-Identifier: Apache-2.0
/// Compares memory with what was recorded, chunk by chunk and from many threads, and remembers what a person needs:
/// how many elements differ, the first one, the worst one.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/elements.h"

namespace mneme::replay {

/// How one region is judged.
struct RegionRule {
  ElementType element = ElementType::Bytes;
  Limits limits;
};

struct Mismatch {
  uint64_t offset = 0;  ///< bytes from the region's start
  uint64_t index = 0;   ///< of the element
  ElementType shownAs = ElementType::Bytes;
  std::string expected, got;
};

struct RegionResult {
  uint64_t wrong = 0;    ///< elements outside the limits
  uint64_t inexact = 0;  ///< elements that differ within it
  Distance worst;        ///< over all elements that differ
  std::optional<Mismatch> first;  ///< lowest offset outside the limits
};

struct Comparison {
  uint64_t bytes = 0;  ///< compared, all regions
  std::vector<RegionResult> regions;
  [[nodiscard]] bool passed() const;
  [[nodiscard]] bool identical() const;  ///< nothing differed at all
  [[nodiscard]] Distance worst() const;
  [[nodiscard]] uint64_t wrong() const;
};

/// Collects chunk comparisons. compare() is thread-safe; result() is for when all are done.
class Comparer {
 public:
  explicit Comparer(std::vector<RegionRule> rules);
  /// `offset` is a multiple of every element size, from the region's start.
  void compare(size_t region, uint64_t offset, std::span<const std::byte> expected, std::span<const std::byte> got);
  /// Counts bytes that are known to be equal.
  void addEqual(uint64_t bytes);
  [[nodiscard]] Comparison result();

 private:
  std::mutex mutex_;
  std::vector<RegionRule> rules_;
  Comparison comparison_;
};

}  // namespace mneme::replay
