// SPDX-License-Identifier: Apache-2.0
#include "cubin/ptx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mneme::cubin {
namespace {

using testing::ElementsAre;

constexpr std::string_view kText = R"(
.version 9.0
.target sm_90
.address_size 64
// .entry in_a_comment()
.visible .global .align 4 .f32 gain = 0f40000000;
.global .align 4 .b8 history[400];
.visible .const .align 4 .b8 weights[16] = {0, 0, 128, 63};
.visible .global .attribute(.managed) .align 4 .u32 counter;
.extern .global .align 4 .u32 elsewhere;
.visible .entry mixed(
	.param .u64 .ptr .align 1 mixed_param_0,
	.param .u32 mixed_param_1,
	.param .f64 mixed_param_2,
	.param .u8 mixed_param_3,
	.param .align 4 .b8 mixed_param_4[6000]
)
.maxntid 256, 1, 1
{
	.reg .b32 %r<2>;
	.global .u32 not_a_module_variable;
	ret;
}
.weak .entry nothing()
{ ret; }
)";

TEST(ScanPtx, FindsKernelsWithTheirParameters) {
  const Ptx ptx = scanPtx(kText);
  EXPECT_EQ(ptx.target, "sm_90");
  ASSERT_EQ(ptx.kernels.size(), 2u);
  EXPECT_EQ(ptx.kernels[0].name, "mixed");
  EXPECT_EQ(ptx.kernels[0].parameters, (std::vector<ParameterSlot>{{0, 8}, {8, 4}, {16, 8}, {24, 1}, {28, 6000}}));
  EXPECT_EQ(ptx.kernels[1].name, "nothing");
  EXPECT_TRUE(ptx.kernels[1].parameters.empty());
}

TEST(ScanPtx, FindsVariablesOfTheModuleAlone) {
  std::vector<std::string> plain, constant;
  for (const Variable& variable : scanPtx(kText).variables)
    (variable.constant ? constant : plain).push_back(variable.name);
  EXPECT_THAT(plain, ElementsAre("gain", "history", "counter"));
  EXPECT_THAT(constant, ElementsAre("weights"));
}

TEST(ScanPtx, SurvivesEveryTruncation) {
  for (size_t size = 0; size < kText.size(); ++size) EXPECT_LE(scanPtx(kText.substr(0, size)).kernels.size(), 2u);
}

}  // namespace
}  // namespace mneme::cubin
