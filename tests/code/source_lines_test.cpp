// SPDX-License-Identifier: Apache-2.0
#include "code/source_lines.h"

#include <gtest/gtest.h>
#include <random>

#include "code/assembler.h"
#include "code/kernel_statistics.h"

namespace mneme::code {
namespace {

/// A kernel whose live values do not fit its registers, with a line table of "src/spill.cu": loads at line 7, uses at line 12.
std::string spillingPtx() {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry first(.param .u64 p)\n{\n\t.loc 1 3 0\n\tret;\n}\n"
      ".visible .entry spill(.param .u64 p)\n.maxntid 256, 1, 1\n.minnctapersm 8\n{\n\t.reg .b64 %rd<2>;\n\t.reg .f32 %f<64>;\n"
      "\t.loc 1 5 0\n\tld.param.u64 %rd1, [p];\n";
  for (int i = 0; i < 60; ++i)
    text += "\t.loc 1 7 0\n\tld.volatile.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  for (int i = 0; i < 60; ++i)
    text += "\t.loc 1 12 0\n\tst.volatile.global.f32 [%rd1+" + std::to_string(400 - 4 * i) + "], %f" + std::to_string(i) + ";\n";
  return text + "\tret;\n}\n.file 1 \"src/spill.cu\"\n";
}

class SourceLines : public testing::Test {
 protected:
  void SetUp() override {
    auto made = assemble(spillingPtx(), "sm_90");
    if (!made && made.error().code() == ErrorCode::Unavailable) GTEST_SKIP() << made.error().message();
    ASSERT_TRUE(made) << made.error().message();
    cubin = std::move(made->cubin);
  }
  std::vector<std::byte> cubin;
};

TEST_F(SourceLines, TheFirstSpillHasItsLine) {
  auto all = imageStatistics(cubin);
  ASSERT_TRUE(all);
  for (const auto& kernel : *all) {
    if (kernel.kernel != "spill") continue;
    ASSERT_GT(kernel.spillStoreBytes, 0u);
    ASSERT_TRUE(kernel.firstSpill);
    EXPECT_EQ(kernel.firstSpill->line, 7u);
    EXPECT_TRUE(kernel.firstSpill->file.ends_with("src/spill.cu")) << kernel.firstSpill->file;
  }
}

TEST_F(SourceLines, FunctionsAreToldApart) {
  auto elf = ElfView::parse(cubin);
  ASSERT_TRUE(elf);
  EXPECT_EQ(sourceLineOf(*elf, "first", 0)->line, 3u);
  EXPECT_EQ(sourceLineOf(*elf, "spill", 0)->line, 5u);
  EXPECT_FALSE(sourceLineOf(*elf, "third", 0));
}

TEST_F(SourceLines, DamagedTablesGiveNoCrash) {
  auto whole = ElfView::parse(cubin);
  ASSERT_TRUE(whole);
  const auto* table = whole->section(".debug_line");
  ASSERT_TRUE(table);
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    auto damaged = cubin;
    for (int i = 0; i < 4; ++i) damaged[table->offset + random() % table->size] = std::byte(random());
    auto elf = ElfView::parse(damaged);
    if (elf) static_cast<void>(sourceLineOf(*elf, "spill", random() % 4096));
  }
}

}  // namespace
}  // namespace mneme::code
