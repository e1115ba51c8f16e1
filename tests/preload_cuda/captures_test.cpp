// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/captures.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace mneme::preload {
namespace {

CUstream stream(uintptr_t number) { return reinterpret_cast<CUstream>(number); }

TEST(Captures, CountPerDevice) {
  Captures captures;
  EXPECT_FALSE(captures.open(0));
  captures.begin(0, stream(1));
  captures.begin(1, stream(2));
  captures.begin(0, stream(3));
  captures.end(stream(1));
  EXPECT_TRUE(captures.open(0));
  captures.end(stream(3));
  EXPECT_FALSE(captures.open(0));
  EXPECT_TRUE(captures.open(1));
}

TEST(Captures, AStreamHasOneCapture) {
  Captures captures;
  captures.begin(0, stream(1));
  captures.begin(0, stream(1));  // refused by the driver; its exit ends nothing that it did not begin
  EXPECT_TRUE(captures.capturing(stream(1)));
  captures.end(stream(1));
  EXPECT_FALSE(captures.open(0));
  captures.end(stream(1));
  EXPECT_FALSE(captures.open(0));
}

}  // namespace
}  // namespace mneme::preload
