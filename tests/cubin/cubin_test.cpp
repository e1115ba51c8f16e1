// SPDX-License-Identifier: Apache-2.0
#include "cubin/cubin.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

namespace mneme::cubin {
namespace {

std::vector<std::byte> headerOnly(uint16_t machine) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = machine;
  header.e_flags = 0x500550;
  std::vector<std::byte> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TEST(Cubin, RefusesOtherMachines) {
  EXPECT_FALSE(isCubin(headerOnly(EM_X86_64)));
  const auto parsed = parse(headerOnly(EM_X86_64));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code(), ErrorCode::CorruptRecording);
}

TEST(Cubin, ReadsTheArchitectureFromOldFlags) {
  const auto parsed = parse(headerOnly(190));
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->architecture, "sm_80");
  EXPECT_TRUE(parsed->kernels.empty());
  EXPECT_EQ(parsed->kernel("missing"), nullptr);
}

TEST(Cubin, RefusesEmptyAndShortInput) {
  EXPECT_FALSE(parse({}));
  auto bytes = headerOnly(190);
  bytes.resize(bytes.size() - 1);
  EXPECT_FALSE(parse(bytes));
}

}  // namespace
}  // namespace mneme::cubin
