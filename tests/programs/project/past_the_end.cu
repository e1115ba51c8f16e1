// SPDX-License-Identifier: Apache-2.0
/// With an argument, writes one element past the end of its memory, which no program notices; without one, it does not.
#include "check.h"

__device__ int table[5];

__global__ void fill(int* a, int n) {
  const int i = static_cast<int>(threadIdx.x);
#ifdef OFF_BY_ONE
  if (i <= n) a[i] = i;
#else
  if (i < n) a[i] = i;
#endif
}
__global__ void fill_table(int n) {
  if (threadIdx.x < n) table[threadIdx.x] = 1;
}

int main(int argc, char**) {
  int* a;
  const int n = 100, more = argc > 1 ? 1 : 0;
  check(cudaMalloc(&a, n * sizeof(int)), "cudaMalloc");
  fill<<<1, 128>>>(a, n + more);
  fill_table<<<1, 32>>>(5 + more);
  return finish(cudaDeviceSynchronize() == cudaSuccess);
}
