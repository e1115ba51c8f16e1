// SPDX-License-Identifier: Apache-2.0
// Five-point stencil whose block shape and rows per thread come from tuned.json; without it the defaults here hold.
#include <cuda_runtime.h>
#include <mneme/tuned/stencil.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// The tuning tries other values by -DROWS=...; what it found is in the header.
#ifdef ROWS
constexpr int rows = ROWS;
#else
constexpr int rows = static_cast<int>(tuned::stencil.value_or("rows", 1));
#endif

__global__ void stencil(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = (blockIdx.y * blockDim.y + threadIdx.y) * rows;
  for (int y = first; y < first + rows; ++y) {
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) continue;
    const float* at = in + y * width + x;
    out[y * width + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-width] + at[width]);
  }
}

static void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

int main() {
  const int width = 512, height = 256;
  std::vector<float> in(width * height);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 97) * 0.01f;
  float *deviceIn = nullptr, *deviceOut = nullptr;
  check(cudaMalloc(&deviceIn, in.size() * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&deviceOut, in.size() * sizeof(float)), "cudaMalloc");
  check(cudaMemcpy(deviceIn, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemset(deviceOut, 0, in.size() * sizeof(float)), "cudaMemset");

  const dim3 block(tuned::stencil.block_x_or(32), tuned::stencil.block_y_or(8));
  const dim3 grid((width + block.x - 1) / block.x, (height + block.y * rows - 1) / (block.y * rows));
  stencil<<<grid, block>>>(deviceIn, deviceOut, width, height);
  check(cudaGetLastError(), "stencil");

  std::vector<float> out(in.size());
  check(cudaMemcpy(out.data(), deviceOut, out.size() * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
  const size_t middle = static_cast<size_t>(height / 2) * width + width / 2;
  const float expected = 0.2f * (in[middle] + in[middle - 1] + in[middle + 1] + in[middle - width] + in[middle + width]);
  std::printf("block %u x %u, %d rows a thread: %s\n", block.x, block.y, rows, std::fabs(out[middle] - expected) < 1e-5f ? "right" : "WRONG");
  return std::fabs(out[middle] - expected) < 1e-5f ? 0 : 1;
}
