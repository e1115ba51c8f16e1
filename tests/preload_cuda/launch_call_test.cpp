// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/launch_call.h"

#include <cupti.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace mneme::preload {
namespace {

const std::vector<ParameterSlot> kSlots{{0, 8}, {8, 4}};
constexpr uint32_t kSize = 12;

TEST(DecodeLaunch, PlainLaunchesNameTheDefaultStream) {
  cuLaunchKernel_params raw{};
  raw.f = reinterpret_cast<CUfunction>(7);
  raw.gridDimX = 2, raw.gridDimY = 3, raw.gridDimZ = 4;
  raw.blockDimX = 5, raw.blockDimY = 6, raw.blockDimZ = 7;
  raw.sharedMemBytes = 100;
  const auto call = decodeLaunch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &raw);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->handle, raw.f);
  EXPECT_EQ(call->shape.grid, (Dim3{2, 3, 4}));
  EXPECT_EQ(call->shape.block, (Dim3{5, 6, 7}));
  EXPECT_EQ(call->shape.dynamicSharedBytes, 100u);
  EXPECT_FALSE(call->shape.cooperative);
  EXPECT_EQ(call->stream, CU_STREAM_LEGACY);
  EXPECT_EQ(decodeLaunch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, &raw)->stream, CU_STREAM_PER_THREAD);
}

TEST(DecodeLaunch, CooperativeLaunchesHaveNoBuffer) {
  cuLaunchCooperativeKernel_params raw{};
  raw.gridDimX = raw.gridDimY = raw.gridDimZ = raw.blockDimX = raw.blockDimY = raw.blockDimZ = 1;
  const auto call = decodeLaunch(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, &raw);
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->shape.cooperative);
  EXPECT_EQ(call->extra, nullptr);
}

TEST(DecodeLaunch, AttributesOfExtendedLaunches) {
  std::array<CUlaunchAttribute, 2> attributes{};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim.x = 4;
  attributes[0].value.clusterDim.y = attributes[0].value.clusterDim.z = 1;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = 1;
  CUlaunchConfig config{};
  config.gridDimX = 8, config.gridDimY = config.gridDimZ = 1;
  config.hStream = reinterpret_cast<CUstream>(99);
  config.attrs = attributes.data();
  config.numAttrs = 2;
  cuLaunchKernelEx_params raw{};
  raw.config = &config;
  const auto call = decodeLaunch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &raw);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->shape.cluster, (Dim3{4, 1, 1}));
  EXPECT_TRUE(call->shape.cooperative);
  EXPECT_EQ(call->stream, config.hStream);
}

TEST(DecodeLaunch, OtherCallsAreNoLaunches) {
  EXPECT_FALSE(decodeLaunch(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, nullptr));
}

TEST(PackArguments, FromPointersAndFromABuffer) {
  uint64_t first = 0x1122334455667788;
  uint32_t second = 42;
  void* pointers[] = {&first, &second};
  LaunchCall call;
  call.parameters = pointers;
  std::vector<std::byte> packed;
  ASSERT_TRUE(packArguments(call, kSlots, kSize, packed));
  ASSERT_EQ(packed.size(), kSize);
  EXPECT_EQ(std::memcmp(packed.data(), &first, 8), 0);
  EXPECT_EQ(std::memcmp(packed.data() + 8, &second, 4), 0);

  std::vector<std::byte> buffer = packed;
  size_t size = buffer.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  LaunchCall other;
  other.extra = extra;
  std::vector<std::byte> again;
  ASSERT_TRUE(packArguments(other, kSlots, kSize, again));
  EXPECT_EQ(again, packed);
  size = kSize - 1;
  EXPECT_FALSE(packArguments(other, kSlots, kSize, again));
}

TEST(PackArguments, RefusesMissingArguments) {
  std::vector<std::byte> packed;
  EXPECT_FALSE(packArguments(LaunchCall{}, kSlots, kSize, packed));
  EXPECT_TRUE(packArguments(LaunchCall{}, {}, 0, packed));
  void* pointers[] = {nullptr, nullptr};
  LaunchCall call;
  call.parameters = pointers;
  EXPECT_FALSE(packArguments(call, kSlots, kSize, packed));
}

}  // namespace
}  // namespace mneme::preload
