// SPDX-License-Identifier: Apache-2.0
#include "replay/address_map.h"

#include <cstring>
#include <gtest/gtest.h>

namespace mneme::replay {
namespace {

/// Two ranges: [0x1000, 0x1100) moved to 0x9000, [0x2000, 0x2100) in place.
AddressMap sample() {
  std::vector<MemoryRange> ranges{{0x1000, 0x100, MemoryKind::Device, ""}, {0x2000, 0x100, MemoryKind::Device, ""}};
  return *AddressMap::build(ranges, {0x9000, 0x2000});
}

uint64_t wordAt(const std::vector<std::byte>& bytes, size_t at) {
  uint64_t word;
  std::memcpy(&word, &bytes[at], sizeof word);
  return word;
}

TEST(AddressMap, TranslatesOnlyIntoRangesThatMoved) {
  auto map = sample();
  EXPECT_TRUE(map.anyMoved());
  EXPECT_EQ(map.translate(0x1000), 0x9000u);
  EXPECT_EQ(map.translate(0x10ff), 0x90ffu);
  EXPECT_EQ(map.translate(0x1100), 0x9100u) << "one past the end is a pointer, too";
  EXPECT_EQ(map.translate(0x1101), std::nullopt);
  EXPECT_EQ(map.translate(0x0fff), std::nullopt);
  EXPECT_EQ(map.translate(0x2010), std::nullopt);
}

TEST(AddressMap, AnEndThatIsAnothersStartBelongsToTheOther) {
  std::vector<MemoryRange> ranges{{0x1000, 0x100, MemoryKind::Device, ""}, {0x1100, 0x100, MemoryKind::Device, ""}};
  auto map = *AddressMap::build(ranges, {0x9000, 0x1100});
  EXPECT_EQ(map.translate(0x1100), std::nullopt);
}

TEST(AddressMap, RefusesOverlapAndWrapAround) {
  std::vector<MemoryRange> overlap{{0x1000, 0x200, MemoryKind::Device, ""}, {0x1100, 0x100, MemoryKind::Device, ""}};
  auto built = AddressMap::build(overlap, {0x1000, 0x1100});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::CorruptRecording);
  std::vector<MemoryRange> wraps{{~uint64_t{0} - 8, 0x100, MemoryKind::Device, ""}};
  EXPECT_FALSE(AddressMap::build(wraps, {0x1000}));
}

TEST(AddressMap, RewritesAlignedWordsOfMemory) {
  std::vector<std::byte> bytes(28, std::byte{0});
  uint64_t pointer = 0x1010;
  std::memcpy(&bytes[4], &pointer, 8);   // at recorded address 0x5004 + 4: aligned
  std::memcpy(&bytes[16], &pointer, 8);  // at 0x5014: not aligned, not a pointer
  sample().rewriteWords(0x5004, bytes);
  EXPECT_EQ(wordAt(bytes, 4), 0x9010u);
  EXPECT_EQ(wordAt(bytes, 16), 0x1010u);
}

TEST(AddressMap, RewritesArgumentsAtEveryOffsetButNotAcrossParameters) {
  std::vector<std::byte> packed(24, std::byte{0});
  uint64_t pointer = 0x1020;
  std::memcpy(&packed[3], &pointer, 8);   // inside a packed struct parameter
  std::memcpy(&packed[14], &pointer, 8);  // straddles the second and third
  sample().rewriteArguments(std::vector<ParameterSlot>{{0, 12}, {12, 8}, {20, 4}}, packed);
  EXPECT_EQ(wordAt(packed, 3), 0x9020u);
  EXPECT_EQ(wordAt(packed, 14), 0x1020u);
}

TEST(AddressMap, CountsOnlyRangesThatRewrittenPointersLedTo) {
  auto map = sample();
  EXPECT_EQ(map.rewrittenCount(), 0u);
  std::vector<uint64_t> words{0x2010, 0x1010, 0x1018};
  map.rewriteWords(0x2000, std::as_writable_bytes(std::span(words)));
  EXPECT_EQ(map.rewrittenCount(), 1u);
}

TEST(AddressMap, AcceptsAMovedPointerAndNothingElse) {
  std::vector<uint64_t> expected{0x1010, 0x1010, 7}, got{0x9010, 0x9018, 7};
  auto bytes = std::as_writable_bytes(std::span(expected));
  sample().acceptMoved(0x2000, bytes, std::as_bytes(std::span(got)));
  EXPECT_EQ(expected, (std::vector<uint64_t>{0x9010, 0x1010, 7}));
}

}  // namespace
}  // namespace mneme::replay
