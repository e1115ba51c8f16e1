// SPDX-License-Identifier: Apache-2.0
#include "code/instruction_classes.h"

#include <gtest/gtest.h>
#include <vector>

#include "code/assembler.h"
#include "code/kernel_statistics.h"

namespace mneme::code {
namespace {

TEST(InstructionClasses, ByOpcodeWhateverTheOperands) {
  EXPECT_EQ(instructionClass(0x0000000000007918), "") << "NOP";
  EXPECT_EQ(instructionClass(0x000fe20000000223), "float") << "FFMA of registers";
  EXPECT_EQ(instructionClass(0x3f80000000007823), "float") << "FFMA with an immediate";
  EXPECT_EQ(instructionClass(0x00000000020d7fae), "global") << "LDGSTS";
  EXPECT_EQ(instructionClass(0x00000000000079af), "other") << "LDGDEPBAR";
}

TEST(InstructionClasses, OfAssembledCode) {
  const auto kernel = [](const std::string& type, const std::string& extra) {
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b64 %rd<2>;\n\t.reg ." + type +
           " %x<4>;\n\tld.param.u64 %rd1, [p];\n\tld.global." + type + " %x1, [%rd1];\n\tfma.rn." + type +
           " %x2, %x1, %x1, %x1;\n" + extra + "\tst.global." + type + " [%rd1], %x2;\n\tret;\n}\n";
  };
  const auto counts = [&](const std::string& ptx) -> std::map<std::string, uint32_t> {
    const auto code = assemble(ptx, "sm_90");
    if (!code) return {};
    const auto all = imageStatistics(code->cubin);
    return all && !all->empty() ? all->front().instructions : std::map<std::string, uint32_t>{};
  };
  const auto single = counts(kernel("f32", ""));
  if (single.empty()) GTEST_SKIP() << "nothing here assembles PTX";
  EXPECT_EQ(single.size(), kInstructionClasses.size());
  EXPECT_EQ(single.at("float"), 1u);
  EXPECT_EQ(single.at("double"), 0u);
  EXPECT_EQ(single.at("global"), 2u);
  EXPECT_EQ(counts(kernel("f64", "")).at("double"), 1u);
  EXPECT_EQ(counts(kernel("f32", "\tadd.rn.f32 %x2, %x2, %x1;\n\tsqrt.approx.f32 %x2, %x2;\n")).at("special"), 1u);
}

}  // namespace
}  // namespace mneme::code
