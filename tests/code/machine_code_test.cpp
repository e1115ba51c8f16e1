// SPDX-License-Identifier: Apache-2.0
#include "code/machine_code.h"

#include <gtest/gtest.h>

#include "code/assembler.h"

namespace mneme::code {
namespace {

/// A module of two kernels; `factor` and `other` are in the code of the first and the second.
std::string module(const std::string& factor, const std::string& other = "2", const std::string& extra = "") {
  const auto kernel = [](const std::string& name, const std::string& value) {
    return ".visible .entry " + name + "(.param .u64 p)\n{\n\t.reg .b64 %rd<3>;\n\t.reg .b32 %r<3>;\n" +
           "\tld.param.u64 %rd1, [p];\n\tld.global.u32 %r1, [%rd1];\n\tmul.lo.u32 %r2, %r1, " + value +
           ";\n\tst.global.u32 [%rd1], %r2;\n\tret;\n}\n";
  };
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + extra + kernel("first", factor) + kernel("second", other);
}

TEST(MachineCode, PtxCountsInstructionsOnly) {
  const auto plain = ptxCodeHash(module("7"));
  EXPECT_EQ(plain, ptxCodeHash(module("7", "2", "// a comment\n\t.file 1 \"a.cu\"\n.loc 1 2 3\n\n")));
  EXPECT_EQ(plain, ptxCodeHash(module("7", "2", ".section .debug_str\n{\n.b8 65\n}\n")));
  EXPECT_NE(plain, ptxCodeHash(module("11")));
}

TEST(MachineCode, CubinsAreComparedByKernel) {
  const auto a = assemble(module("7"), "sm_90");
  if (!a && a.error().code() == ErrorCode::Unavailable) GTEST_SKIP() << a.error().message();
  ASSERT_TRUE(a) << a.error().message();
  const auto b = assemble(module("7", "3"), "sm_90"), c = assemble(module("11"), "sm_90");
  ASSERT_TRUE(b && c);
  const auto hash = [](const Expected<Assembled>& code, const char* kernel) {
    auto found = imageCodeHash(code->cubin, kernel);
    EXPECT_TRUE(found) << found.error().message();
    return *found;
  };
  EXPECT_EQ(hash(a, "first"), hash(b, "first")) << "only the other kernel differs";
  EXPECT_NE(hash(a, "second"), hash(b, "second"));
  EXPECT_NE(hash(a, "first"), hash(c, "first"));
  EXPECT_EQ(imageCodeHash(a->cubin, "third").error().code(), ErrorCode::NotFound);
  EXPECT_FALSE(isDebugImage(a->cubin));
}

TEST(MachineCode, OtherImagesCountAsAWhole) {
  const std::vector<std::byte> a(8, std::byte{1}), b(8, std::byte{2});
  EXPECT_EQ(*imageCodeHash(a, "k"), *imageCodeHash(a, "k"));
  EXPECT_NE(*imageCodeHash(a, "k"), *imageCodeHash(b, "k"));
}

TEST(MachineCode, DebugBuildsAreKnown) {
  EXPECT_TRUE(isDebugPtx(".version 8.0\n.target sm_90, debug\n"));
  EXPECT_FALSE(isDebugPtx(module("7")));
  EXPECT_EQ(debugFlag("nvcc -O2 -g -G a.cu"), "-G");
  EXPECT_EQ(debugFlag("nvcc -g -lineinfo -O3 a.cu"), "");
  EXPECT_EQ(debugFlag("clang++ -g -o Og.o -c Og.cu"), "-g without -O");
  EXPECT_EQ(debugFlag("clang++ -O2 -O0 a.cu"), "-O0");
  EXPECT_EQ(debugFlag("clang++ -O3 -DNDEBUG a.cu"), "");
  EXPECT_EQ(debugFlag(""), "");
}

}  // namespace
}  // namespace mneme::code
