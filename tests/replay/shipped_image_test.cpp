// SPDX-License-Identifier: Apache-2.0
/// A program of nvcc's with images of two architectures, without notes.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "fakes.h"
#include "replay/code_selection.h"

namespace mneme::replay {
namespace {

constexpr char kFirst[] = "_Z5firstPf";

Expected<Selection> select(const std::string& kernel, const std::string& architecture, std::optional<CodeKind> as = {}) {
  test::FakeRecording recording;
  recording.value.kernel = kernel;
  return selectCode(recording, {SHIPS_IMAGES, as, {CodeKind::Image, CodeKind::Ptx, CodeKind::Llvm}, architecture});
}

TEST(ShippedImage, IsThatOfTheDevicesArchitecture) {
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    const auto found = select(kFirst, architecture);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->obstacle, Obstacle::None);
    EXPECT_EQ(found->code.architecture, architecture);
    EXPECT_EQ(found->code.kernel, kFirst);
    EXPECT_EQ(found->code.code.kind, CodeKind::Image);
    EXPECT_EQ(found->code.code.bytes[1], std::byte{'E'});
  }
}

TEST(ShippedImage, IsNoneForOtherDevicesAndKernels) {
  EXPECT_FALSE(select(kFirst, "sm_75"));
  const auto other = select("_Z5thirdPf", "sm_90");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->obstacle, Obstacle::KernelGone);
}

TEST(ShippedImage, IsNoBitcode) { EXPECT_FALSE(select(kFirst, "sm_90", CodeKind::Llvm)); }

}  // namespace
}  // namespace mneme::replay
