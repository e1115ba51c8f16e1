// SPDX-License-Identifier: Apache-2.0
/// Two targets build this file with different definitions: one kernel name, two kernels.
#include "check.h"

__global__ void scale(float* x) { x[threadIdx.x] *= FACTOR; }

int main() {
  float values[32], *x = nullptr;
  for (float& v : values) v = 1.5f;
  check(cudaMalloc(&x, sizeof values), "malloc");
  check(cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice), "copy");
  scale<<<1, 32>>>(x);
  check(cudaMemcpy(values, x, sizeof values, cudaMemcpyDeviceToHost), "copy");
  return finish(values[31] == 1.5f * FACTOR);
}
