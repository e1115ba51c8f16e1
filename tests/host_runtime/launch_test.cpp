// SPDX-License-Identifier: Apache-2.0
/// Launches: what is refused and how, what the engine is given, what the program learns of faults.
#include <cstring>

#include "api_test.h"
#include "backend/host/memory.h"

namespace {

using mneme::host::Fault;
using mneme::host::fake::state;

TEST_F(HostApi, PacksArgumentsAsTheKernelReadsThem) {
  pointer_ = reinterpret_cast<float*>(0x1234);
  ASSERT_EQ(launchScale(3, 128), cudaSuccess);
  ASSERT_EQ(launches().size(), 1u);
  const auto& launch = launches()[0];
  ASSERT_EQ(launch.arguments.size(), 12u);
  EXPECT_EQ(std::memcmp(launch.arguments.data(), &pointer_, 8), 0);
  EXPECT_EQ(std::memcmp(launch.arguments.data() + 8, &count_, 4), 0);
  EXPECT_EQ(launch.shape.grid.x, 3u);
  EXPECT_EQ(launch.shape.block.x, 128u);
}

TEST_F(HostApi, RefusesShapesBeyondTheLimitsAndForgetsIt) {
  for (auto [grid, block] : {std::pair{dim3(0), dim3(1)}, {dim3(1), dim3(1025)}, {dim3(1), dim3(1, 1, 65)},
                             {dim3(1, 65536), dim3(1)}, {dim3(1), dim3(64, 64)}}) {
    EXPECT_EQ(launchScale(grid, block), cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
  EXPECT_TRUE(launches().empty());
  EXPECT_EQ(launchScale(1, 1), cudaSuccess);
}

TEST_F(HostApi, LaunchBoundsAreObeyed) {
  EXPECT_EQ(launchScale(1, 512), cudaSuccess);
  EXPECT_EQ(launchScale(1, 513), cudaErrorLaunchOutOfResources);
}

TEST_F(HostApi, MoreSharedMemoryNeedsTheAttribute) {
  const size_t standard = (48 << 10) - 64;
  EXPECT_EQ(launchScale(1, 1, standard), cudaSuccess);
  EXPECT_EQ(launchScale(1, 1, standard + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&scaleStub_, cudaFuncAttributeMaxDynamicSharedMemorySize, (227 << 10) - 63),
            cudaErrorInvalidValue);
  ASSERT_EQ(cudaFuncSetAttribute(&scaleStub_, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10), cudaSuccess);
  EXPECT_EQ(launchScale(1, 1, 100 << 10), cudaSuccess);
  EXPECT_EQ(launchScale(1, 1, (100 << 10) + 1), cudaErrorInvalidValue);
}

TEST_F(HostApi, UnknownKernelsStreamsAndMissingArguments) {
  char unknown = 0;
  EXPECT_EQ(cudaLaunchKernel(&unknown, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(launchScale(1, 1, 0, reinterpret_cast<cudaStream_t>(&unknown)), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(&scaleStub_, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_TRUE(launches().empty());
}

TEST_F(HostApi, ARefusedKernelIsNotSupportedAndNothingIsLost) {
  EXPECT_EQ(cudaLaunchKernel(&refusedStub_, 1, 1, nullptr, 0, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_EQ(launchScale(1, 1), cudaSuccess);
}

TEST_F(HostApi, FaultsShowAtTheNextCallAndStay) {
  for (auto [fault, error] : {std::pair{Fault::Trap, cudaErrorLaunchFailure}, {Fault::Assert, cudaErrorAssert},
                              {Fault::IllegalAddress, cudaErrorIllegalAddress}}) {
    state().answer = {fault, "kernel scale: block 0"};
    EXPECT_EQ(launchScale(1, 1), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), error);
    EXPECT_EQ(cudaGetLastError(), error);
    EXPECT_EQ(cudaGetLastError(), error);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), error);
    EXPECT_EQ(launchScale(1, 1), error);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
}

TEST_F(HostApi, AKernelRefusedWhileLaunchingDoesNotStick) {
  state().answer = {Fault::Unsupported, "grid-wide synchronisation"};
  EXPECT_EQ(launchScale(1, 1), cudaErrorNotSupported);
  state().answer = {};
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(HostApi, ExtendedLaunchesReadTheirAttributes) {
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  cudaLaunchConfig_t config{dim3(2), dim3(32), 16, nullptr, attributes, 2};
  void* arguments[] = {&pointer_, &count_};
  ASSERT_EQ(cudaLaunchKernelExC(&config, &scaleStub_, arguments), cudaSuccess);
  EXPECT_TRUE(launches()[0].shape.cooperative);
  EXPECT_EQ(launches()[0].shape.dynamicSharedBytes, 16u);
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {2, 1, 1};
  EXPECT_EQ(cudaLaunchKernelExC(&config, &scaleStub_, arguments), cudaErrorNotSupported);
  attributes[1].id = cudaLaunchAttributeProgrammaticEvent;
  EXPECT_EQ(cudaLaunchKernelExC(&config, &scaleStub_, arguments), cudaErrorNotSupported);
  EXPECT_EQ(launches().size(), 1u);
}

TEST_F(HostApi, ConfigurationsNest) {
  EXPECT_EQ(__cudaPushCallConfiguration(1, 2, 3, nullptr), 0u);
  EXPECT_EQ(__cudaPushCallConfiguration(4, 5, 6, nullptr), 0u);
  dim3 grid, block;
  size_t shared = 0;
  void* stream = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(grid.x, 4u);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
  EXPECT_EQ(shared, 3u);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
}

TEST_F(HostApi, ModulesLoadAtFirstUseAndGoWithTheirObject) {
  EXPECT_EQ(state().loads, 0);
  void* address = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&address, static_cast<const void*>(&tableVariable_)), cudaSuccess);
  EXPECT_EQ(launchScale(1, 1), cudaSuccess);
  EXPECT_EQ(state().loads, 1);
  __cudaUnregisterFatBinary(handle_);
  handle_ = nullptr;
  EXPECT_EQ(launchScale(1, 1), cudaErrorInvalidDeviceFunction);
  EXPECT_FALSE(mneme::host::Memory::instance().resolve(reinterpret_cast<uint64_t>(address)));
}

TEST_F(HostApi, CodeThatIsNoBitcodeIsRefused) {
  static const uint32_t image[] = {0xba55ed50, 0, 0, 0};
  FatBinaryWrapper wrapper{0x466243b1, 1, image, nullptr};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  char stub = 0;
  __cudaRegisterFunction(handle, &stub, nullptr, "k", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  EXPECT_EQ(cudaLaunchKernel(&stub, 1, 1, nullptr, 0, nullptr), cudaErrorNotSupported);
  __cudaUnregisterFatBinary(handle);
}

TEST_F(HostApi, AttributesAndOccupancyFollowTheKernel) {
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, &scaleStub_), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 64u);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 512);
  int blocks = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scaleStub_, 512, 0), cudaSuccess);
  EXPECT_EQ(blocks, 4);
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scaleStub_, 32, 47 << 10), cudaSuccess);
  EXPECT_EQ(blocks, 4);
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scaleStub_, 1024, 0), cudaSuccess);
  EXPECT_EQ(blocks, 0);
  int minGrid = 0, blockSize = 0;
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&minGrid, &blockSize, &scaleStub_), cudaSuccess);
  EXPECT_EQ(blockSize, 512);
  EXPECT_EQ(minGrid, 16);
}

}  // namespace
