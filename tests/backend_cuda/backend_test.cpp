// SPDX-License-Identifier: Apache-2.0
/// What the back-end says where there is no GPU; with one, the conformance suite says more.
#include "backend/cuda/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace mneme::cuda {
namespace {

TEST(CudaBackend, SaysWhatIsMissingWhereThereIsNoGpu) {
  if (std::filesystem::exists("/dev/nvidia0") || std::filesystem::exists("/dev/dxg")) GTEST_SKIP() << "there is a GPU";
  const auto count = deviceBackend().count();
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code(), ErrorCode::Unavailable);
  EXPECT_THAT(count.error().message(), testing::HasSubstr("--device host"));
}

TEST(CudaBackend, OpeningWithoutADriverIsUnavailable) {
  if (std::filesystem::exists("/dev/nvidia0") || std::filesystem::exists("/dev/dxg")) GTEST_SKIP() << "there is a GPU";
  const auto device = deviceBackend().open(0);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code(), ErrorCode::Unavailable);
}

TEST(CudaBackend, TakesImagesFirst) {
  EXPECT_EQ(deviceBackend().name(), "cuda");
  ASSERT_FALSE(deviceBackend().codeKinds().empty());
  EXPECT_EQ(deviceBackend().codeKinds().front(), CodeKind::Image);
}

}  // namespace
}  // namespace mneme::cuda
