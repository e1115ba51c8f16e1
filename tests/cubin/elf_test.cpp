// SPDX-License-Identifier: Apache-2.0
#include "cubin/elf.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/file.h"

namespace mneme {
namespace {

std::vector<std::byte> ownProgram() {
  auto bytes = readBytes("/proc/self/exe", uint64_t{1} << 30);
  EXPECT_TRUE(bytes);
  return bytes ? *bytes : std::vector<std::byte>{};
}

TEST(ElfView, FindsSectionsAndSymbolsOfThisProgram) {
  const auto bytes = ownProgram();
  const auto elf = ElfView::parse(bytes);
  ASSERT_TRUE(elf) << elf.error().message();
  ASSERT_NE(elf->section(".text"), nullptr);
  EXPECT_GT(elf->section(".text")->content.size(), 0u);
  EXPECT_EQ(elf->section(".no-such-section"), nullptr);
  ASSERT_NE(elf->section(".bss"), nullptr);
  EXPECT_TRUE(elf->section(".bss")->content.empty());
  EXPECT_GT(elf->symbols()->size(), 10u);
}

TEST(ElfView, RefusesASectionTableOutsideTheFile) {
  auto bytes = ownProgram();
  const uint64_t outside = bytes.size() - 1;
  std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_shoff), &outside, sizeof outside);
  EXPECT_FALSE(ElfView::parse(bytes));
  const uint64_t wrapping = std::numeric_limits<uint64_t>::max() - 8;
  std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_shoff), &wrapping, sizeof wrapping);
  EXPECT_FALSE(ElfView::parse(bytes));
}

TEST(Subrange, RefusesWrappingOffsets) {
  const std::vector<std::byte> bytes(16);
  EXPECT_TRUE(subrange(bytes, 16, 0));
  EXPECT_FALSE(subrange(bytes, 8, 9));
  EXPECT_FALSE(subrange(bytes, 17, 0));
  EXPECT_FALSE(subrange(bytes, 8, std::numeric_limits<uint64_t>::max()));
}

}  // namespace
}  // namespace mneme
