// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/allocations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mneme::preload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(Allocations, AFreeThatFailsCanBeUndone) {
  Allocations allocations;
  allocations.add(0x1000, MemoryKind::Device);
  const auto removed = allocations.remove(0x1000);
  EXPECT_THAT(allocations.all(), IsEmpty());
  allocations.addAll(removed);
  EXPECT_THAT(allocations.all(), ElementsAre(Pair(0x1000, MemoryKind::Device)));
}

TEST(Allocations, AnAddressUsedAgainBeforeTheUndoKeepsItsNewKind) {
  Allocations allocations;
  allocations.add(0x1000, MemoryKind::Device);
  const auto removed = allocations.remove(0x1000);
  allocations.add(0x1000, MemoryKind::Managed);
  allocations.addAll(removed);
  EXPECT_EQ(allocations.kindAt(0x1000), MemoryKind::Managed);
}

TEST(Allocations, UnmappingTakesWhatBeginsInside) {
  Allocations allocations;
  for (const uint64_t address : {0x1000, 0x2000, 0x3000}) allocations.add(address, MemoryKind::Device);
  EXPECT_EQ(allocations.remove(0x1800, 0x1800).size(), 1u);
  EXPECT_THAT(allocations.all(), ElementsAre(Pair(0x1000, testing::_), Pair(0x3000, testing::_)));
  EXPECT_THAT(allocations.remove(0x1001), IsEmpty());
}

TEST(Allocations, NullIsNoAllocation) {
  Allocations allocations;
  allocations.add(0, MemoryKind::Pinned);
  EXPECT_THAT(allocations.all(), IsEmpty());
}

}  // namespace
}  // namespace mneme::preload
