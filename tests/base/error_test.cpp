// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <gtest/gtest.h>

namespace mneme {
namespace {

Expected<int> parse(bool good) {
  if (good) return 7;
  return Error(ErrorCode::NotFound, "no number");
}

TEST(Expected, HoldsValueOrError) {
  auto good = parse(true), bad = parse(false);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 7);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), ErrorCode::NotFound);
  EXPECT_EQ(bad.value_or(3), 3);
}

TEST(Error, ContextReadsFromOutsideIn) {
  auto error = parse(false).error().context("reading line 3").context("opening file");
  EXPECT_EQ(error.message(), "opening file: reading line 3: no number");
  EXPECT_EQ(error.code(), ErrorCode::NotFound);
}

TEST(Expected, VoidSucceedsByDefault) {
  Expected<void> fine, broken = Error(ErrorCode::Io, "disk full");
  EXPECT_TRUE(fine);
  EXPECT_FALSE(broken);
}

}  // namespace
}  // namespace mneme
