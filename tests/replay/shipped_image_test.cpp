// SPDX-License-Identifier: Apache-2.0
/// A program of nvcc's, without notes.
#include "replay/shipped_image.h"

#include <gtest/gtest.h>

#include "fakes.h"

namespace mneme::replay {
namespace {

constexpr char kFirst[] = "_Z5firstPf";

TEST(ShippedImage, IsThatOfTheDevicesArchitecture) {
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    const auto found = shippedImage(SHIPS_IMAGES, kFirst, architecture);
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_TRUE(*found) << architecture;
    EXPECT_EQ((*found)->architecture, architecture);
    EXPECT_EQ((*found)->kernel, kFirst);
    EXPECT_EQ((*found)->code.kind, CodeKind::Image);
    EXPECT_EQ((*found)->code.bytes[1], std::byte{'E'});
  }
}

TEST(ShippedImage, IsNothingForOtherKernelsAndDevices) {
  for (const auto& [kernel, architecture] : {std::pair(kFirst, "sm_75"), {"_Z5thirdPf", "sm_90"}}) {
    const auto found = shippedImage(SHIPS_IMAGES, kernel, architecture);
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found) << kernel << architecture;
  }
}

/// Before any notes: a program that was built without Mneme is replayed, too.
TEST(ShippedImage, IsTakenWhereTheDeviceTakesImages) {
  test::FakeRecording recording;
  recording.value.kernel = kFirst;
  CodeRequest request{SHIPS_IMAGES, {}, {CodeKind::Image, CodeKind::Ptx, CodeKind::Llvm}, "sm_90"};
  const auto selected = selectCode(recording, request);
  ASSERT_TRUE(selected) << selected.error().message();
  EXPECT_EQ(selected->obstacle, Obstacle::None);
  EXPECT_EQ(selected->code.code.kind, CodeKind::Image);
  request.as = CodeKind::Llvm;
  EXPECT_FALSE(selectCode(recording, request));
}

}  // namespace
}  // namespace mneme::replay
