// SPDX-License-Identifier: Apache-2.0
/// Two kernels, two device variables, one for each. Another LENGTH is another size of the second one. FAULT makes the first
/// kernel stop.
#include <vector>

#include "check.h"

__device__ float offset[4] = {1, 2, 3, 4};
__device__ float table[LENGTH];

__global__ void plain(float* x) {
  x[threadIdx.x] += offset[threadIdx.x % 4];
#ifdef FAULT
  if (threadIdx.x == 3) __trap();
#endif
}

__global__ void uses(float* x) {
  __shared__ float first;
  if (threadIdx.x == 0) first = x[0];
  __syncthreads();
  x[threadIdx.x] = first + table[threadIdx.x % 4];
  if (threadIdx.x == 0) table[0] = 1;
}

int main() {
  float* x = nullptr;
  check(cudaMalloc(&x, 64 * sizeof *x), "malloc");
  check(cudaMemset(x, 0, 64 * sizeof *x), "memset");
  plain<<<1, 64>>>(x);
  uses<<<1, 64>>>(x);
  check(cudaDeviceSynchronize(), "kernels");
  std::puts("ok");
  return 0;
}
