// SPDX-License-Identifier: Apache-2.0
// Two kernels to gate; gates.sh plants slowdowns, wrong answers and registers at the marks.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void polynomial(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float x = in[i];
  for (int step = 0; step < 200; ++step) x = x * 0.99f + 0.01f;  // MARK
  out[i] = x;
}

__global__ void blend(const float* a, const float* b, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 0.25f * a[i] + 0.75f * b[i];
}

int main() {
  const int count = 1 << 14;
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i) values[i] = 0.001f * i;
  float *in = nullptr, *out = nullptr, *mixed = nullptr;
  cudaMalloc(&in, count * sizeof(float));
  cudaMalloc(&out, count * sizeof(float));
  cudaMalloc(&mixed, count * sizeof(float));
  cudaMemcpy(in, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  polynomial<<<count / 256, 256>>>(in, out, count);
  blend<<<count / 256, 256>>>(in, out, mixed, count);
  cudaMemcpy(values.data(), mixed, count * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%f\n", values[count / 2]);
  return 0;
}
