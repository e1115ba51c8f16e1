// SPDX-License-Identifier: Apache-2.0
/// Launches one kernel with `argv[1]` different shapes; prints one line a launch and exits with 3.
#include <vector>

#include "check.h"

__global__ void churn(unsigned* x, int n, unsigned salt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = (x[i] ^ salt) * 2654435761u + i;
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 10, n = 1 << 17;
  unsigned* x = nullptr;
  check(cudaMalloc(&x, n * sizeof *x), "malloc");
  check(cudaMemset(x, 0x5a, n * sizeof *x), "memset");
  for (int i = 1; i <= launches; ++i) {
    churn<<<i, 64>>>(x, n, i);
    check(cudaDeviceSynchronize(), "churn");
    std::printf("launch %d\n", i);
    std::fflush(stdout);
  }
  unsigned last = 0;
  check(cudaMemcpy(&last, x + n - 1, sizeof last, cudaMemcpyDeviceToHost), "copy");
  std::printf("last %u\n", last);
  return 3;
}
