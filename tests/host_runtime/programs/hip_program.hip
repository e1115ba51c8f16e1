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

int main() {
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
