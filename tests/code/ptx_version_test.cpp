// SPDX-License-Identifier: Apache-2.0
#include "code/ptx_version.h"

#include <gtest/gtest.h>

namespace mneme::code {
namespace {

TEST(PtxVersion, FollowsTheReleases) {
  EXPECT_EQ(ptxVersionOfCuda("12.4"), 84u);
  EXPECT_EQ(ptxVersionOfCuda("12.6"), 85u) << "12.6 brought no new PTX";
  EXPECT_EQ(ptxVersionOfCuda("13.0"), 90u);
  EXPECT_EQ(ptxVersionOfCuda("13.7"), 90u) << "at least what is known";
}

TEST(PtxVersion, AnythingElseIsUnknown) {
  for (const char* text : {"", "13", "13.", "x.y", "10.2"}) EXPECT_EQ(ptxVersionOfCuda(text), 0u) << text;
}

}  // namespace
}  // namespace mneme::code
