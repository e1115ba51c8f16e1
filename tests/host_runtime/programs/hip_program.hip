// SPDX-License-Identifier: Apache-2.0
// A HIP program on the host device: exits with the number of wrong answers.
#include <hip/hip_runtime.h>

#include <cstdio>

static int wrong = 0;
#define EXPECT(condition)                                                  \
  do {                                                                     \
    if (!(condition)) std::printf("line %d: %s\n", __LINE__, #condition), ++wrong; \
  } while (0)

__global__ void warpSums(const int* in, int* out) {
  int value = in[hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x];
  for (int step = warpSize / 2; step > 0; step /= 2) value += __shfl_down(value, step);
  if (hipThreadIdx_x == 0) out[hipBlockIdx_x] = value;
}

static void attributes() {
  int warp = 0;
  EXPECT(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0) == hipSuccess && warp == 32);
  EXPECT(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 7) == hipErrorInvalidDevice);
  EXPECT(hipFuncSetAttribute(warpSums, hipFuncAttributeMaxDynamicSharedMemorySize, 65536) == hipSuccess);
  hipFuncAttributes found{};
  EXPECT(hipFuncGetAttributes(&found, warpSums) == hipSuccess && found.maxDynamicSharedSizeBytes == 65536);
  (void)hipGetLastError();
}

static void threeDimensions() {
  hipPitchedPtr box{};
  const hipExtent extent = make_hipExtent(5 * sizeof(int), 4, 3);
  EXPECT(hipMalloc3D(&box, extent) == hipSuccess && box.pitch >= 5 * sizeof(int));
  int from[60], to[60] = {};
  for (int i = 0; i < 60; ++i) from[i] = i;
  hipMemcpy3DParms there{}, back{};
  there.srcPtr = make_hipPitchedPtr(from, 5 * sizeof(int), 5, 4);
  there.dstPtr = box;
  there.extent = extent;
  there.kind = hipMemcpyHostToDevice;
  back.srcPtr = box;
  back.dstPtr = make_hipPitchedPtr(to, 5 * sizeof(int), 5, 4);
  back.extent = extent;
  back.kind = hipMemcpyDeviceToHost;
  EXPECT(hipMemcpy3D(&there) == hipSuccess && hipMemcpy3DAsync(&back) == hipSuccess);
  EXPECT(to[0] == 0 && to[59] == 59);
  EXPECT(hipMemset3D(box, 0, extent) == hipSuccess && hipMemcpy3D(&back) == hipSuccess && to[59] == 0);
  hipPointerAttribute_t where{};
  EXPECT(hipPointerGetAttributes(&where, box.ptr) == hipSuccess && where.type == hipMemoryTypeDevice && !where.isManaged);
  EXPECT(hipFree(box.ptr) == hipSuccess);
}

static void pools() {
  hipMemPool_t pool = nullptr;
  int* memory = nullptr;
  EXPECT(hipDeviceGetDefaultMemPool(&pool, 0) == hipSuccess);
  EXPECT(hipMallocFromPoolAsync(&memory, 64, pool, nullptr) == hipSuccess && memory);
  EXPECT(hipMemsetAsync(memory, 1, 64) == hipSuccess && hipFreeAsync(memory, nullptr) == hipSuccess);
  EXPECT(hipMemPoolTrimTo(pool, 0) == hipSuccess);
}

int main() {
  attributes();
  threeDimensions();
  pools();
  int *in = nullptr, *out = nullptr, host[64], sums[2] = {};
  for (int i = 0; i < 64; ++i) host[i] = i;
  EXPECT(hipMalloc(&in, sizeof host) == hipSuccess);
  EXPECT(hipMalloc(&out, sizeof sums) == hipSuccess);
  EXPECT(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice) == hipSuccess);
  hipLaunchKernelGGL(warpSums, dim3(2), dim3(32), 0, 0, in, out);
  EXPECT(hipGetLastError() == hipSuccess);
  EXPECT(hipMemcpy(sums, out, sizeof sums, hipMemcpyDeviceToHost) == hipSuccess);
  EXPECT(sums[0] == 31 * 16 && sums[1] == 31 * 16 + 32 * 32);
  EXPECT(hipFree(in) == hipSuccess);
  EXPECT(hipFree(in) == hipErrorInvalidValue);
  void* memory = nullptr;
  EXPECT(hipMalloc(&memory, ~size_t{0}) == hipErrorOutOfMemory);
  EXPECT(hipGetLastError() == hipErrorOutOfMemory);
  EXPECT(hipEventRecord(nullptr, nullptr) == hipErrorInvalidHandle);
  return wrong;
}
