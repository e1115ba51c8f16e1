// SPDX-License-Identifier: Apache-2.0
#include "heat.h"

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kTile = 16;

void check(hipError_t status, const char* what) {
  if (status == hipSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorString(status));
  std::exit(1);
}

}  // namespace

/// One step; each block loads its tile and a one-cell border into shared memory.
__global__ void heatStep(const float* from, float* to, int width, float alpha) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const bool inside = x < width && y < width;
  if (inside) {
    tile[ty][tx] = from[y * width + x];
    if (threadIdx.x == 0 && x > 0) tile[ty][0] = from[y * width + x - 1];
    if (threadIdx.x == kTile - 1 && x + 1 < width) tile[ty][kTile + 1] = from[y * width + x + 1];
    if (threadIdx.y == 0 && y > 0) tile[0][tx] = from[(y - 1) * width + x];
    if (threadIdx.y == kTile - 1 && y + 1 < width) tile[kTile + 1][tx] = from[(y + 1) * width + x];
  }
  __syncthreads();
  if (!inside) return;
  const bool border = x == 0 || y == 0 || x == width - 1 || y == width - 1;
  const float here = tile[ty][tx];
  const float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
  to[y * width + x] = border ? here : here + alpha * (around - 4.0f * here);
}

/// The largest change of a block's cells, by a tree in dynamic shared memory.
__global__ void largestChange(const float* before, const float* after, int count, float* perBlock) {
  extern __shared__ float change[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  change[threadIdx.x] = i < count ? fabsf(after[i] - before[i]) : 0.0f;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) change[threadIdx.x] = fmaxf(change[threadIdx.x], change[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) perBlock[blockIdx.x] = change[0];
}

float simulateHeat(std::vector<float>& plate, int width, float alpha, int steps) {
  const int count = width * width, blocks = (count + 255) / 256;
  float *from = nullptr, *to = nullptr, *changes = nullptr;
  check(hipMalloc(&from, count * sizeof(float)), "hipMalloc");
  check(hipMalloc(&to, count * sizeof(float)), "hipMalloc");
  check(hipMalloc(&changes, blocks * sizeof(float)), "hipMalloc");
  check(hipMemcpy(from, plate.data(), count * sizeof(float), hipMemcpyHostToDevice), "hipMemcpy");

  const dim3 block(kTile, kTile), grid((width + kTile - 1) / kTile, (width + kTile - 1) / kTile);
  for (int step = 0; step < steps; ++step) {
    heatStep<<<grid, block>>>(from, to, width, alpha);
    std::swap(from, to);
  }
  hipLaunchKernelGGL(largestChange, dim3(blocks), dim3(256), 256 * sizeof(float), 0, to, from, count, changes);
  check(hipGetLastError(), "kernels");

  std::vector<float> perBlock(blocks);
  check(hipMemcpy(plate.data(), from, count * sizeof(float), hipMemcpyDeviceToHost), "hipMemcpy");
  check(hipMemcpy(perBlock.data(), changes, blocks * sizeof(float), hipMemcpyDeviceToHost), "hipMemcpy");
  for (float* memory : {from, to, changes}) check(hipFree(memory), "hipFree");
  float largest = 0;
  for (float change : perBlock) largest = change > largest ? change : largest;
  return largest;
}
