// SPDX-License-Identifier: Apache-2.0
/// An in-place update, launched eight times; its fifth launch is the one to record.
#include <vector>

#include "check.h"

__global__ void relax(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0.5f * (x[i] + 2.0f / x[i]);
}

int main() {
  const int n = 4096;
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = 1.0f + i % 97;
  float* x = nullptr;
  check(cudaMalloc(&x, n * sizeof(float)), "malloc");
  check(cudaMemcpy(x, values.data(), n * sizeof(float), cudaMemcpyHostToDevice), "copy");
  for (int step = 0; step < 8; ++step) relax<<<n / 256, 256>>>(x, n);
  check(cudaMemcpy(values.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost), "copy");
  bool good = true;
  for (float v : values) good = good && v > 1.41f && v < 1.5f;
  return finish(good);
}
