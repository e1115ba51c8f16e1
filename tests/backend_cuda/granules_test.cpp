// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/granules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace mneme::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kBase = 0x7f2000000000;

MemoryRange range(uint64_t offset, uint64_t size, MemoryKind kind = MemoryKind::Device) {
  return {kBase + offset, size, kind, {}};
}

TEST(GranuleRuns, ManyRangesOfOneGranuleAreOneReservation) {
  std::vector<MemoryRange> ranges;
  for (uint64_t i = 0; i < 65; ++i) ranges.push_back(range(i * 512 * 1024, 1000));
  EXPECT_THAT(granuleRuns(ranges, {}), ElementsAre(Interval{kBase, kBase + 2 * kGranule}));
}

TEST(GranuleRuns, NeighboursMergeAndGapsStay) {
  const std::vector<MemoryRange> ranges{range(5 * kGranule, 1), range(kGranule - 1, 2), range(0, 1)};
  EXPECT_THAT(granuleRuns(ranges, {}), ElementsAre(Interval{kBase, kBase + 2 * kGranule},
                                                   Interval{kBase + 5 * kGranule, kBase + 6 * kGranule}));
}

TEST(GranuleRuns, WhatIsReservedIsNotReservedAgain) {
  const std::vector<Interval> owned{{kBase + kGranule, kBase + 2 * kGranule}};
  const std::vector<MemoryRange> ranges{range(0, 3 * kGranule)};
  EXPECT_THAT(granuleRuns(ranges, owned), ElementsAre(Interval{kBase, kBase + kGranule},
                                                      Interval{kBase + 2 * kGranule, kBase + 3 * kGranule}));
  EXPECT_THAT(granuleRuns({}, owned), IsEmpty());
}

TEST(GranuleRuns, EmptyRangesNeedNothing) {
  EXPECT_THAT(granuleRuns(std::vector{range(100, 0)}, {}), IsEmpty());
}

TEST(PageRuns, PagesOfDifferentKindsAreMappedApart) {
  const std::vector<MemoryRange> ranges{range(0, kPage), range(kPage, kPage, MemoryKind::Pinned),
                                        range(2 * kPage, 1, MemoryKind::Registered), range(10 * kPage, 1)};
  EXPECT_THAT(pageRuns(ranges, {}), ElementsAre(MappedRun{{kBase, kBase + kPage}, false},
                                                MappedRun{{kBase + kPage, kBase + 3 * kPage}, true},
                                                MappedRun{{kBase + 10 * kPage, kBase + 11 * kPage}, false}));
}

TEST(PageRuns, ASharedPageBecomesDeviceMemory) {
  const std::vector<MemoryRange> ranges{range(0, 100), range(kPage / 2, kPage, MemoryKind::Pinned)};
  EXPECT_THAT(pageRuns(ranges, {}), ElementsAre(MappedRun{{kBase, kBase + kPage}, false},
                                                MappedRun{{kBase + kPage, kBase + 2 * kPage}, true}));
}

TEST(PageRuns, MappedPagesAreLeftAlone) {
  const std::vector<MappedRun> mapped{{{kBase, kBase + kPage}, true}};
  EXPECT_THAT(pageRuns(std::vector{range(0, 2 * kPage)}, mapped),
              ElementsAre(MappedRun{{kBase + kPage, kBase + 2 * kPage}, false}));
}

TEST(Refuse, WrappingAndUnaddressableRanges) {
  EXPECT_FALSE(refuse(std::vector{range(0, 1)}));
  EXPECT_TRUE(refuse(std::vector{range(0, std::numeric_limits<uint64_t>::max())}));
  EXPECT_TRUE(refuse(std::vector{MemoryRange{std::numeric_limits<uint64_t>::max(), 1, MemoryKind::Device, {}}}));
  EXPECT_TRUE(refuse(std::vector{MemoryRange{0, 16, MemoryKind::Device, {}}}));
}

}  // namespace
}  // namespace mneme::cuda
