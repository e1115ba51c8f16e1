// SPDX-License-Identifier: Apache-2.0
/// Which address ranges to reserve and which pages to map, so that recorded memory lies where it lay. Pure arithmetic.
/// The driver gives a wanted address only to reservations of whole 32 MiB granules; memory is mapped in 2 MiB pages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/launch.h"

namespace mneme::cuda {

inline constexpr uint64_t kGranule = uint64_t{32} << 20;
inline constexpr uint64_t kPage = uint64_t{2} << 20;

struct Interval {
  uint64_t begin = 0, end = 0;
  [[nodiscard]] uint64_t size() const { return end - begin; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Pages that get one piece of physical memory. `host`: it lies in host memory, as pinned and registered memory did.
struct MappedRun {
  Interval pages;
  bool host = false;
  friend bool operator==(const MappedRun&, const MappedRun&) = default;
};

/// Why a set of ranges can never be reserved (wrapping, beyond what GPUs address); nullopt if it can be tried.
[[nodiscard]] std::optional<std::string> refuse(std::span<const MemoryRange> ranges);

/// The granules that the ranges touch, merged and ascending, without those in `owned`.
[[nodiscard]] std::vector<Interval> granuleRuns(std::span<const MemoryRange> ranges, std::span<const Interval> owned);

/// The pages that the ranges touch, merged by kind and ascending, without those in `mapped`. A page that ranges of both
/// kinds share becomes device memory.
[[nodiscard]] std::vector<MappedRun> pageRuns(std::span<const MemoryRange> ranges, std::span<const MappedRun> mapped);

}  // namespace mneme::cuda
