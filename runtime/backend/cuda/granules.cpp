// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/granules.h"

#include <algorithm>
#include <utility>

namespace mneme::cuda {
namespace {

constexpr uint64_t kHighestAddress = uint64_t{1} << 56;

uint64_t down(uint64_t value, uint64_t unit) { return value / unit * unit; }
uint64_t up(uint64_t value, uint64_t unit) { return down(value + unit - 1, unit); }

bool livesOnHost(MemoryKind kind) { return kind == MemoryKind::Pinned || kind == MemoryKind::Registered; }

std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin);
  std::vector<Interval> result;
  for (const Interval& next : intervals) {
    if (next.begin >= next.end) continue;
    if (!result.empty() && next.begin <= result.back().end)
      result.back().end = std::max(result.back().end, next.end);
    else
      result.push_back(next);
  }
  return result;
}

/// `from` without `what`; both merged.
std::vector<Interval> without(const std::vector<Interval>& from, const std::vector<Interval>& what) {
  std::vector<Interval> result;
  for (Interval rest : from) {
    for (const Interval& hole : what) {
      if (hole.end <= rest.begin || hole.begin >= rest.end) continue;
      if (hole.begin > rest.begin) result.push_back({rest.begin, hole.begin});
      rest.begin = std::min(hole.end, rest.end);
    }
    if (rest.begin < rest.end) result.push_back(rest);
  }
  return result;
}

template <typename Wanted>
std::vector<Interval> touched(std::span<const MemoryRange> ranges, uint64_t unit, Wanted wanted) {
  std::vector<Interval> result;
  for (const MemoryRange& range : ranges)
    if (range.size > 0 && wanted(range.kind))
      result.push_back({down(range.address, unit), up(range.address + range.size, unit)});
  return merged(std::move(result));
}

}  // namespace

std::optional<std::string> refuse(std::span<const MemoryRange> ranges) {
  for (const MemoryRange& range : ranges)
    if (range.address < kPage || range.size > kHighestAddress || range.address > kHighestAddress - range.size)
      return "a range at " + std::to_string(range.address) + " of " + std::to_string(range.size) +
             " bytes, which no GPU can address";
  return std::nullopt;
}

std::vector<Interval> granuleRuns(std::span<const MemoryRange> ranges, std::span<const Interval> owned) {
  return without(touched(ranges, kGranule, [](MemoryKind) { return true; }),
                 merged({owned.begin(), owned.end()}));
}

std::vector<MappedRun> pageRuns(std::span<const MemoryRange> ranges, std::span<const MappedRun> mapped) {
  std::vector<Interval> taken;
  for (const MappedRun& run : mapped) taken.push_back(run.pages);
  taken = merged(std::move(taken));
  std::vector<MappedRun> result;
  const auto device = without(touched(ranges, kPage, [](MemoryKind kind) { return !livesOnHost(kind); }), taken);
  for (const Interval& pages : device) {
    result.push_back({pages, false});
    taken.push_back(pages);
  }
  for (const Interval& pages : without(touched(ranges, kPage, livesOnHost), merged(taken)))
    result.push_back({pages, true});
  std::ranges::sort(result, {}, [](const MappedRun& run) { return run.pages.begin; });
  return result;
}

}  // namespace mneme::cuda
