// SPDX-License-Identifier: Apache-2.0
/// Memory of every kind, copies and their checks, symbols, pools.
#include <cstring>
#include <numeric>
#include <vector>

#include "api_test.h"

namespace {

std::vector<int> numbers(int count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST_F(HostApi, CopiesThereAndBack) {
  int* device = nullptr;
  auto values = numbers(1000), back = std::vector<int>(1000);
  ASSERT_EQ(cudaMalloc(&device, 4000), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, values.data(), 4000, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back.data(), device, 4000, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(values, back);
  EXPECT_EQ(cudaMemset(device, 0xff, 4), cudaSuccess);
  EXPECT_EQ(device[0], -1);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST_F(HostApi, WrongCopiesAreInvalid) {
  char* device = nullptr;
  char host[64] = {};
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device + 60, host, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device, 8, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(nullptr, device, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaMemset(host, 0, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyPeer(device, 1, device, 0, 8), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaFree(device + 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST_F(HostApi, AllocationsThatCannotBe) {
  void* memory = &memory;
  EXPECT_EQ(cudaMalloc(&memory, ~size_t{0}), cudaErrorMemoryAllocation);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&memory, 0), cudaSuccess);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&memory, 16, 8), cudaErrorInvalidValue);
  size_t pitch = 0;
  EXPECT_EQ(cudaMallocPitch(&memory, &pitch, ~size_t{0} - 10, 2), cudaErrorMemoryAllocation);
}

TEST_F(HostApi, PitchedRowsCopyRowByRow) {
  char* device = nullptr;
  size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&device, &pitch, 100, 5), cudaSuccess);
  EXPECT_EQ(pitch % 512, 0u);
  std::vector<char> host(100 * 5), back(100 * 5);
  std::iota(host.begin(), host.end(), 0);
  ASSERT_EQ(cudaMemset2D(device, pitch, 0x55, pitch, 5), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(device, pitch, host.data(), 100, 100, 5, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(device[pitch], host[100]);
  EXPECT_EQ(device[100], 0x55);
  ASSERT_EQ(cudaMemcpy2D(back.data(), 100, device, pitch, 100, 5, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host, back);
  EXPECT_EQ(cudaMemcpy2D(device, 50, host.data(), 100, 100, 5, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(device, pitch, host.data(), 100, 100, 6, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST_F(HostApi, VolumesCopyPartOfThemselves) {
  cudaPitchedPtr volume{};
  ASSERT_EQ(cudaMalloc3D(&volume, make_cudaExtent(16, 4, 3)), cudaSuccess);
  ASSERT_EQ(cudaMemset3D(volume, 0, make_cudaExtent(16, 4, 3)), cudaSuccess);
  std::vector<char> box(8 * 2 * 2, 9);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(box.data(), 8, 8, 2);
  copy.dstPtr = volume;
  copy.dstPos = make_cudaPos(4, 1, 1);
  copy.extent = make_cudaExtent(8, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  auto at = [&](int x, int y, int z) { return static_cast<char*>(volume.ptr)[(z * 4 + y) * volume.pitch + x]; };
  EXPECT_EQ(at(4, 1, 1), 9);
  EXPECT_EQ(at(11, 2, 2), 9);
  EXPECT_EQ(at(3, 1, 1), 0);
  EXPECT_EQ(at(4, 3, 1), 0);
  EXPECT_EQ(at(4, 1, 0), 0);
  EXPECT_EQ(cudaFree(volume.ptr), cudaSuccess);
}

TEST_F(HostApi, PointersSayWhatTheyAre) {
  void *device = nullptr, *managed = nullptr, *pinned = nullptr;
  static char own[4096];
  ASSERT_EQ(cudaMalloc(&device, 10), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 10), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&pinned, 10, cudaHostAllocMapped), cudaSuccess);
  auto typeOf = [](const void* pointer) {
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(typeOf(static_cast<char*>(device) + 9), cudaMemoryTypeDevice);
  EXPECT_EQ(typeOf(managed), cudaMemoryTypeManaged);
  EXPECT_EQ(typeOf(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(typeOf(own), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaHostRegister(own, sizeof own, cudaHostRegisterPortable), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(own, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(typeOf(own + 1), cudaMemoryTypeHost);
  unsigned flags = 0;
  EXPECT_EQ(cudaHostGetFlags(&flags, pinned), cudaSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(cudaHostAllocMapped));
  void* view = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(&view, pinned, 0), cudaSuccess);
  EXPECT_EQ(view, pinned);
  EXPECT_EQ(cudaHostGetDevicePointer(&view, device, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(own), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST_F(HostApi, SymbolsCopyWithinTheirSize) {
  const int values[4] = {1, 2, 3, 4};
  int back[2] = {};
  const void* table = &tableVariable_;
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, 16), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(back, table, 8, 8), cudaSuccess);
  EXPECT_EQ(back[1], 4);
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, 16, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  size_t size = 0;
  EXPECT_EQ(cudaGetSymbolSize(&size, static_cast<const void*>(&limitsVariable_)), cudaSuccess);
  EXPECT_EQ(size, 8u);
  EXPECT_EQ(cudaGetSymbolSize(&size, static_cast<const void*>(back)), cudaErrorInvalidSymbol);
  void* address = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&address, table), cudaSuccess);
  EXPECT_EQ(cudaFree(address), cudaErrorInvalidValue);
}

TEST_F(HostApi, PoolsCountWhatTheirUsersHold) {
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&memory, 1000, pool, nullptr), cudaSuccess);
  uint64_t used = 0, high = 0;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 1000u);
  EXPECT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high), cudaSuccess);
  EXPECT_EQ(used, 0u);
  EXPECT_EQ(high, 1000u);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocFromPoolAsync(&memory, 8, pool, nullptr), cudaErrorInvalidValue);
}

}  // namespace
