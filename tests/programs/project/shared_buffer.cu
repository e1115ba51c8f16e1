// SPDX-License-Identifier: Apache-2.0
/// Two kernels hand a buffer from one to the other; each is a recording of its own.
#include "check.h"

__global__ void produce(int* buffer, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) buffer[i] = i * i;
}

__global__ void consume(const int* buffer, int n, long long* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(buffer[i]));
}

int main() {
  const int n = 1000;
  int* buffer = nullptr;
  long long *sum = nullptr, result = 0, expected = 0;
  check(cudaMalloc(&buffer, n * sizeof(int)), "buffer");
  check(cudaMalloc(&sum, sizeof *sum), "sum");
  check(cudaMemset(sum, 0, sizeof *sum), "memset");
  produce<<<8, 128>>>(buffer, n);
  consume<<<8, 128>>>(buffer, n, sum);
  check(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost), "copy");
  for (long long i = 0; i < n; ++i) expected += i * i;
  return finish(result == expected);
}
