// SPDX-License-Identifier: Apache-2.0
// y = a*x + y, checked on the host.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

static void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

int main() {
  const int n = 1 << 14;
  const float a = 2.5f;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = 0.001f * i;
    y[i] = 1.0f - 0.002f * i;
  }

  float *deviceX = nullptr, *deviceY = nullptr;
  check(cudaMalloc(&deviceX, n * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&deviceY, n * sizeof(float)), "cudaMalloc");
  check(cudaMemcpy(deviceX, x.data(), n * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemcpy(deviceY, y.data(), n * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");

  saxpy<<<(n + 255) / 256, 256>>>(n, a, deviceX, deviceY);
  check(cudaGetLastError(), "saxpy");

  std::vector<float> result(n);
  check(cudaMemcpy(result.data(), deviceY, n * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
  cudaFree(deviceX);
  cudaFree(deviceY);

  double worst = 0;
  for (int i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(result[i] - (double(a) * x[i] + y[i])));
  std::printf("saxpy of %d elements, largest error %.2g\n", n, worst);
  return worst < 1e-5 ? 0 : 1;
}
