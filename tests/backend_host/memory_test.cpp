// SPDX-License-Identifier: Apache-2.0
/// The host device's memory: addresses, the register, recorded addresses, giving pages back.
#include "backend/host/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <set>

#include "backend/host/free_space.h"

namespace mneme::host {
namespace {

constexpr uint64_t kFar = 0x7e90'0000'0000;  // where nothing of this process lies, nor of a sanitizer's

Memory& memory() { return Memory::instance(); }

uint64_t allocate(uint64_t size) {
  auto address = memory().allocate(size, 1, MemoryKind::Device);
  EXPECT_TRUE(address.has_value());
  return address ? *address : 0;
}

bool resident(uint64_t address) {
  unsigned char flag = 0;
  return mincore(reinterpret_cast<void*>(address), 1, &flag) == 0 && (flag & 1);
}

TEST(FreeSpace, JoinsNeighboursAgain) {
  FreeSpace space;
  space.add(0x1000, 0x1000);
  auto first = space.take(0x100, 0x100), second = space.take(0xf00, 0x100);
  ASSERT_EQ(first, 0x1000u);
  ASSERT_EQ(second, 0x1100u);
  EXPECT_FALSE(space.take(1, 1));
  space.add(*second, 0xf00);
  space.add(*first, 0x100);
  EXPECT_EQ(space.take(0x1000, 0x1000), 0x1000u);
}

TEST(FreeSpace, TakesExactRangesOnlyIfWhollyFree) {
  FreeSpace space;
  space.add(0x1000, 0x1000);
  EXPECT_TRUE(space.takeAt(0x1234, 0x10));
  EXPECT_FALSE(space.takeAt(0x1240, 0x10));
  EXPECT_TRUE(space.takeAt(0x1244, 0x10));
  EXPECT_FALSE(space.takeAt(0x1ff0, 0x11));
}

TEST(HostMemory, AlignsBySize) {
  uint64_t small = allocate(1), pages = allocate(1 << 20), huge = allocate(8 << 20);
  EXPECT_EQ(small % 256, 0u);
  EXPECT_EQ(pages % 4096, 0u);
  EXPECT_EQ(huge % (2 << 20), 0u);
  for (uint64_t address : {small, pages, huge}) EXPECT_TRUE(memory().release(address));
}

TEST(HostMemory, SameCallsGiveSameAddresses) {
  auto run = [] {
    std::vector<uint64_t> addresses;
    for (uint64_t size : {100, 5000, 3 << 20, 77, 16 << 20}) addresses.push_back(allocate(size));
    for (uint64_t address : addresses) EXPECT_TRUE(memory().release(address));
    return addresses;
  };
  EXPECT_EQ(run(), run());
}

TEST(HostMemory, HundredThousandLiveAllocationsDoNotOverlap) {
  constexpr int kCount = 100'000;
  std::vector<uint64_t> addresses;
  for (int i = 0; i < kCount; ++i) addresses.push_back(allocate(1 + i % 700));
  EXPECT_EQ(std::set<uint64_t>(addresses.begin(), addresses.end()).size(), addresses.size());
  auto live = memory().live();
  for (size_t i = 1; i < live.size(); ++i) ASSERT_LE(live[i - 1].address + live[i - 1].size, live[i].address);
  for (int i = 0; i < kCount; i += 2) EXPECT_TRUE(memory().release(addresses[i]));
  for (int i = 1; i < kCount; i += 2) EXPECT_TRUE(memory().release(addresses[i]));
}

TEST(HostMemory, ResolvesInteriorAddressesAndNothingElse) {
  uint64_t address = allocate(1000);
  auto inside = memory().resolve(address + 999);
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->address, address);
  EXPECT_EQ(inside->size, 1000u);
  EXPECT_FALSE(memory().resolve(address + 1000));
  EXPECT_TRUE(memory().release(address));
  EXPECT_FALSE(memory().resolve(address));
}

TEST(HostMemory, RefusesNonsense) {
  EXPECT_EQ(memory().allocate(0, 1, MemoryKind::Device).error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(memory().allocate(8, 3, MemoryKind::Device).error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(memory().allocate(memory().totalBytes() + 1, 1, MemoryKind::Device).error().code(), ErrorCode::Unavailable);
  EXPECT_EQ(memory().allocate(~0ull, 1, MemoryKind::Device).error().code(), ErrorCode::Unavailable);
  uint64_t address = allocate(512);
  EXPECT_FALSE(memory().release(address + 256));
  EXPECT_TRUE(memory().release(address));
  EXPECT_FALSE(memory().release(address));
  EXPECT_FALSE(memory().adopt(8, ~0ull));
}

TEST(HostMemory, FreedBigBlocksGiveTheirPagesBack) {
  uint64_t address = allocate(8 << 20), before = memory().freeBytes();
  std::memset(reinterpret_cast<void*>(address), 1, 8 << 20);
  EXPECT_TRUE(resident(address));
  EXPECT_TRUE(memory().release(address));
  EXPECT_FALSE(resident(address));
  EXPECT_EQ(memory().freeBytes(), before + (8 << 20));
}

TEST(HostMemory, ReservesRangesThatShareAPage) {
  std::vector<MemoryRange> ranges{{kFar + 0x10, 0x20, MemoryKind::Global, "a"},
                                  {kFar + 0x40, 0x3000, MemoryKind::Device, {}}};
  ASSERT_TRUE(memory().reserve(ranges));
  std::memset(reinterpret_cast<void*>(kFar + 0x10), 7, 0x20);
  std::memset(reinterpret_cast<void*>(kFar + 0x40), 8, 0x3000);
  EXPECT_EQ(memory().resolve(kFar + 0x2f)->name, "a");
  EXPECT_FALSE(memory().resolve(kFar + 0x30));
  EXPECT_TRUE(memory().release(kFar + 0x40));
  EXPECT_EQ(*reinterpret_cast<unsigned char*>(kFar + 0x10), 7);
  EXPECT_TRUE(memory().release(kFar + 0x10));
  EXPECT_EQ(mincore(reinterpret_cast<void*>(kFar), 1, std::make_unique<unsigned char>().get()), -1);
}

TEST(HostMemory, AReservationThatFailsLeavesNothingBehind) {
  void* foreign = mmap(reinterpret_cast<void*>(kFar + 0x100000), 4096, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_NE(foreign, MAP_FAILED);
  std::vector<MemoryRange> ranges{{kFar, 0x1000, MemoryKind::Device, {}},
                                  {kFar + 0xff000, 0x2000, MemoryKind::Device, {}}};
  auto done = memory().reserve(ranges);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::Unavailable);
  EXPECT_FALSE(memory().resolve(kFar));
  munmap(foreign, 4096);
  EXPECT_TRUE(memory().reserve(ranges));
  for (const auto& range : ranges) EXPECT_TRUE(memory().release(range.address));
}

TEST(HostMemory, ReservesInsideTheArenaWhereItIsFree) {
  uint64_t address = allocate(4096);
  EXPECT_FALSE(memory().reserve({{address + 8, 16, MemoryKind::Device, {}}}));
  EXPECT_TRUE(memory().release(address));
  ASSERT_TRUE(memory().reserve({{address + 8, 16, MemoryKind::Global, "g"}}));
  uint64_t other = allocate(4096);
  EXPECT_TRUE(other + 4096 <= address + 8 || other >= address + 24);
  EXPECT_TRUE(memory().release(other));
  EXPECT_TRUE(memory().release(address + 8));
}

TEST(HostMemory, WhatLiesBehindAnAllocationIsNobodys) {
  for (uint64_t size : {1, 256, 1000, 4096, 1 << 20, 4 << 20}) {
    const uint64_t address = allocate(size), neighbour = allocate(size);
    const auto behind = memory().guardBehind(address, size);
    EXPECT_GE(behind.size(), 64u) << size;
    EXPECT_EQ(reinterpret_cast<uint64_t>(behind.data()), address + size);
    EXPECT_TRUE(neighbour >= address + size + behind.size() || neighbour < address) << size;
    EXPECT_TRUE(memory().guardBehind(address, size - 1).empty());
    EXPECT_TRUE(memory().release(address));
    EXPECT_TRUE(memory().release(neighbour));
  }
}

TEST(HostMemory, BehindReservedRangesIsWhatNoOtherHas) {
  std::vector<MemoryRange> ranges{{kFar + 0x10, 0x20, MemoryKind::Global, "a"}, {kFar + 0x40, 0x10, MemoryKind::Device, {}},
                                  {kFar + 0x50, 0x10, MemoryKind::Device, {}}, {kFar + 0x1000, 0x1000, MemoryKind::Device, {}}};
  ASSERT_TRUE(memory().reserve(ranges));
  EXPECT_EQ(memory().guardBehind(kFar + 0x10, 0x20).size(), 0x10u);
  EXPECT_TRUE(memory().guardBehind(kFar + 0x40, 0x10).empty());
  EXPECT_EQ(memory().guardBehind(kFar + 0x50, 0x10).size(), 0x100u);
  EXPECT_TRUE(memory().guardBehind(kFar + 0x1000, 0x1000).empty());  // no page there: a write faults
  for (const auto& range : ranges) EXPECT_TRUE(memory().release(range.address));
}

TEST(HostMemory, AdoptedMemoryStaysTheOwners) {
  static char buffer[300];
  uint64_t address = reinterpret_cast<uint64_t>(buffer);
  ASSERT_TRUE(memory().adopt(address, sizeof buffer));
  EXPECT_FALSE(memory().adopt(address + 10, 4));
  EXPECT_EQ(memory().resolve(address + 299)->kind, MemoryKind::Registered);
  EXPECT_TRUE(memory().release(address));
  buffer[0] = 1;
  EXPECT_FALSE(memory().resolve(address));
}

}  // namespace
}  // namespace mneme::host
