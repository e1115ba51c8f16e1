// SPDX-License-Identifier: Apache-2.0
/// Dynamic parallelism: a kernel that launches a kernel.
#include <cstdio>

__global__ void child(int* x) { x[threadIdx.x] = threadIdx.x * 2; }
__global__ void parent(int* x) {
  if (threadIdx.x == 0) child<<<1, 64>>>(x);
}

int main() {
  int *x, last = 0;
  cudaMalloc(&x, 64 * sizeof *x);
  parent<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaMemcpy(&last, x + 63, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("child %s\n", last == 126 ? "correct" : "wrong");
}
