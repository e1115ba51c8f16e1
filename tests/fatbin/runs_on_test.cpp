// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "code/fatbin.h"

namespace mneme::code {
namespace {

TEST(RunsOn, FollowsTheVendorsRules) {
  EXPECT_TRUE(runsOn(CodeKind::Image, "sm_80", "sm_86"));
  EXPECT_FALSE(runsOn(CodeKind::Image, "sm_86", "sm_80"));
  EXPECT_FALSE(runsOn(CodeKind::Image, "sm_80", "sm_90"));
  EXPECT_TRUE(runsOn(CodeKind::Ptx, "compute_80", "sm_90"));
  EXPECT_FALSE(runsOn(CodeKind::Ptx, "compute_90", "sm_80"));
  EXPECT_TRUE(runsOn(CodeKind::Image, "sm_90a", "sm_90"));
  EXPECT_FALSE(runsOn(CodeKind::Ptx, "compute_90a", "sm_100"));
  EXPECT_FALSE(runsOn(CodeKind::Image, "rubbish", "sm_90"));
}

TEST(ArchitectureRank, NewerAndMoreSpecialIsGreater) {
  EXPECT_LT(architectureRank("sm_90"), architectureRank("sm_90a"));
  EXPECT_LT(architectureRank("sm_90a"), architectureRank("sm_100"));
  EXPECT_EQ(architectureRank("rubbish"), 0u);
}

TEST(FatBinaries, AFileWithoutDeviceCodeHasNoEntries) {
  const auto own = FatBinaries::open("/proc/self/exe");
  ASSERT_TRUE(own) << own.error().message();
  EXPECT_TRUE(own->entries().empty());
}

TEST(FatBinaries, AMissingFileIsNotFound) {
  const auto missing = FatBinaries::open("/no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::NotFound);
}

}  // namespace
}  // namespace mneme::code
