// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/clocks.h"

#include <gtest/gtest.h>

namespace mneme::cuda {
namespace {

TEST(Clocks, OnlyWhatHoldsTheClockDownIsAReason) {
  EXPECT_EQ(slowedBy(0), "");
  EXPECT_EQ(slowedBy(0x1 | 0x2 | 0x4), "") << "idle, application clocks, power limit";
  EXPECT_EQ(slowedBy(0x4 | 0x40), "its temperature");
  EXPECT_EQ(slowedBy(0x20 | 0x8), "its temperature");
  EXPECT_EQ(slowedBy(0x80), "the power brake");
  EXPECT_NE(slowedBy(0x8), "");
}

TEST(Clocks, AGpuThatIsNotThereTellsNothing) { EXPECT_FALSE(Clocks("ffff:ff:ff.f").read()); }

}  // namespace
}  // namespace mneme::cuda
