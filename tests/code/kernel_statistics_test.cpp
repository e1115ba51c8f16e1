// SPDX-License-Identifier: Apache-2.0
#include "code/kernel_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "code/assembler.h"
#include "code/nvjitlink.h"

namespace mneme::code {
namespace {

std::vector<std::byte> data(const std::string& name) {
  auto bytes = readBytes(std::filesystem::path(MNEME_TEST_DATA) / name, 1 << 20);
  EXPECT_TRUE(bytes) << bytes.error().message();
  return bytes.value_or({});
}

KernelStatistics of(std::span<const std::byte> image, const std::string& kernel) {
  const auto all = imageStatistics(image);
  EXPECT_TRUE(all) << all.error().message();
  if (all)
    for (const KernelStatistics& statistics : *all)
      if (statistics.kernel == kernel) return statistics;
  ADD_FAILURE() << "no kernel " << kernel;
  return {};
}

TEST(KernelStatistics, AgreeWithPtxasOnSpills) {
  const KernelStatistics turing = of(data("stats_sm_75.cubin"), "_Z6spillsPfi");
  EXPECT_EQ(turing.architecture, "sm_75");
  EXPECT_EQ(turing.registers, 128u);
  EXPECT_EQ(turing.stackBytes, 336u);
  EXPECT_EQ(turing.spillStoreBytes, 72u);
  EXPECT_EQ(turing.spillLoadBytes, 72u);
  EXPECT_EQ(turing.sharedBytes, 1200u);

  const KernelStatistics hopper = of(data("stats_sm_90.cubin"), "_Z6spillsPfi");
  EXPECT_EQ(hopper.architecture, "sm_90");
  EXPECT_EQ(hopper.registers, 128u);
  EXPECT_EQ(hopper.stackBytes, 464u);
  EXPECT_EQ(hopper.spillStoreBytes, 200u);
  EXPECT_EQ(hopper.spillLoadBytes, 200u);
  EXPECT_EQ(hopper.sharedBytes, 1200u) << "without the driver's kilobyte";
  EXPECT_EQ(hopper.constantBytes, 128u);
  EXPECT_EQ(hopper.parameterBytes, 12u);
  EXPECT_EQ(hopper.maxThreads, 256u);
  EXPECT_GT(hopper.codeBytes, 1000u);
}

TEST(KernelStatistics, ASmallKernelNeedsNothing) {
  const KernelStatistics tiny = of(data("stats_sm_90.cubin"), "_Z4tinyPi");
  EXPECT_EQ(tiny.registers, 8u);
  EXPECT_EQ(tiny.stackBytes + tiny.spillStoreBytes + tiny.spillLoadBytes + tiny.sharedBytes, 0u);
  EXPECT_EQ(tiny.parameterBytes, 8u);
  EXPECT_EQ(tiny.maxThreads, 0u);
}

TEST(KernelStatistics, ReadsCodeObjects) {
  const KernelStatistics kernel = of(data("kernel_gfx90a.hsaco"), "k");
  EXPECT_EQ(kernel.architecture, "gfx90a");
  EXPECT_EQ(kernel.registers, 3u);
  EXPECT_EQ(kernel.scalarRegisters, 10u);
  EXPECT_EQ(kernel.sharedBytes, 256u);
  EXPECT_EQ(kernel.parameterBytes, 12u);
  EXPECT_EQ(kernel.maxThreads, 256u);
}

TEST(KernelStatistics, RefusesWhatIsNoImage) {
  for (const std::string text : {"", "\x7f" "ELF", "not an image at all"}) {
    const auto answer = imageStatistics(std::as_bytes(std::span(text)));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), ErrorCode::Unsupported);
  }
}

/// Truncated and damaged files are errors or other numbers, never a crash (run under the sanitizers).
TEST(KernelStatistics, SurvivesDamage) {
  for (const char* name : {"stats_sm_90.cubin", "kernel_gfx90a.hsaco"}) {
    const std::vector<std::byte> whole = data(name);
    size_t refused = 0;
    for (size_t size = 0; size < whole.size(); size += 97)
      refused += !imageStatistics(std::span(whole).first(size)).has_value();
    EXPECT_GT(refused, whole.size() / 97 / 2) << name;
    for (size_t at = 0; at < whole.size(); at += 13) {
      std::vector<std::byte> damaged = whole;
      damaged[at] = ~damaged[at];
      (void)imageStatistics(damaged).has_value();
    }
  }
}

constexpr char kPtx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [k_param_0];
  cvta.to.global.u64 %rd2, %rd1;
  st.global.u64 [%rd2], %rd1;
  ret;
}
)";

TEST(Assembler, AssemblesAndItsStatisticsAreRead) {
  const auto assembled = assemble(kPtx, "sm_90");
  if (!assembled && assembled.error().code() == ErrorCode::Unavailable) GTEST_SKIP() << assembled.error().message();
  ASSERT_TRUE(assembled) << assembled.error().message();
  EXPECT_FALSE(assembled->tool.empty());
  EXPECT_EQ(of(assembled->cubin, "k").parameterBytes, 8u);
}

TEST(Assembler, BothAssemblersSharedMemoryIsTheSources) {
  const std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_param_0) {\n"
                          ".shared .align 4 .b8 tile[512];\n.reg .b32 %r<3>;\nmov.u32 %r1, tile;\nst.shared.u32 [%r1], %r1;\n"
                          "bar.sync 0;\nld.shared.u32 %r2, [%r1];\nret;\n}\n";
  const auto assembled = assemble(ptx, "sm_90");
  if (assembled) {
    EXPECT_EQ(of(assembled->cubin, "k").sharedBytes, 512u);
  }
  if (const NvJitLink* link = NvJitLink::instance()) {
    const auto linked = link->assemble(ptx, "sm_90");
    ASSERT_TRUE(linked) << linked.error().message();
    EXPECT_EQ(of(linked->cubin, "k").sharedBytes, 512u);
  }
  if (!assembled) GTEST_SKIP() << assembled.error().message();
}

TEST(Assembler, BadPtxIsRefusedInTheAssemblersWords) {
  const auto assembled = assemble(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { nosuch; }\n", "sm_90");
  ASSERT_FALSE(assembled);
  if (assembled.error().code() == ErrorCode::Unavailable) GTEST_SKIP() << assembled.error().message();
  EXPECT_EQ(assembled.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(assembled.error().message(), testing::HasSubstr("nosuch"));
}

TEST(Assembler, ToolkitsNewerThanTheDriverArePassedOver) {
  const auto assembled = assemble(kPtx, "sm_90", 50);  // CUDA 9: older than every toolkit that knows sm_90
  ASSERT_FALSE(assembled);
  EXPECT_EQ(assembled.error().code(), ErrorCode::Unavailable);
}

}  // namespace
}  // namespace mneme::code
