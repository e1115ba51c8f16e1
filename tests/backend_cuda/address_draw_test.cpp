// SPDX-License-Identifier: Apache-2.0
#include "device/address_draw.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>

namespace mneme::device {
namespace {

constexpr std::string_view kMaps =
    "1000-3000 r-xp 00000000 08:01 1  /bin/program\n"
    "7f0000000000-7f0000200000 rw-p 00000000 00:00 0\n"
    "not a mapping\n"
    "7fff0000-7fff2000 rw-p 00000000 00:00 0  [stack]";

std::vector<MemoryRange> taken(uint64_t address, uint64_t size) {
  const MemoryRange range{address, size, MemoryKind::Device, {}};
  return takenIn(kMaps, {&range, 1});
}

TEST(AddressDraw, FindsRangesThatOverlapMappings) {
  EXPECT_EQ(taken(0x1000, 1).size(), 1u);
  EXPECT_EQ(taken(0x2fff, 1).size(), 1u);
  EXPECT_EQ(taken(0x500, 0x501).size(), 0u);
  EXPECT_EQ(taken(0x500, 0xb01).size(), 1u);
  EXPECT_EQ(taken(0x7effffffffff, 2).size(), 1u);
  EXPECT_EQ(taken(0x7fff1fff, 1).size(), 1u);  // the last line has no newline
}

TEST(AddressDraw, LeavesFreeRangesAlone) {
  EXPECT_EQ(taken(0x3000, 0x1000).size(), 0u);
  EXPECT_EQ(taken(0x1000, 0).size(), 0u);
  EXPECT_EQ(taken(0x7f0000200000, uint64_t{1} << 40).size(), 0u);
  EXPECT_EQ(taken(0x302000000, 0x100000).size(), 0u);
}

TEST(AddressDraw, ReadsThisProcessesMappings) {
  constexpr size_t kSize = 1 << 20;
  void* memory = mmap(nullptr, kSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const MemoryRange range{reinterpret_cast<uint64_t>(memory) + 4096, 4096, MemoryKind::Device, {}};
  const auto before = takenHere({&range, 1});
  munmap(memory, kSize);
  const auto after = takenHere({&range, 1});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->size(), 1u);
  EXPECT_EQ(after->size(), 0u);
}

TEST(AddressDraw, EndsAfterItsDraws) {
  setenv("MNEME_ADDRESS_DRAW", "8", 1);
  char name[] = "test";
  char* arguments[] = {name, nullptr};
  EXPECT_EQ(drawAgain(arguments).code(), ErrorCode::Unavailable);
  unsetenv("MNEME_ADDRESS_DRAW");
}

}  // namespace
}  // namespace mneme::device
