// SPDX-License-Identifier: Apache-2.0
// Fills a buffer with pseudo-random bytes on the device, counts them there, and checks the counts on the host.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "counting.h"

/// A hash of the index, so that every run makes the same bytes.
__global__ void fill(unsigned char* data, int n, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = (i + seed) * 2654435761u;
  h ^= h >> 15;
  h *= 2246822519u;
  data[i] = (h ^ h >> 13) & 0xff;
}

int main() {
  const int n = 1 << 16;
  unsigned char* data = nullptr;
  unsigned* bins = nullptr;
  cudaMalloc(&data, n);
  cudaMalloc(&bins, kBins * sizeof(unsigned));
  cudaMemset(bins, 0, kBins * sizeof(unsigned));

  fill<<<(n + 255) / 256, 256>>>(data, n, 17u);
  countBytes(data, n, bins);

  std::vector<unsigned char> bytes(n);
  std::vector<unsigned> counted(kBins), expected(kBins);
  cudaMemcpy(bytes.data(), data, n, cudaMemcpyDeviceToHost);
  cudaMemcpy(counted.data(), bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost);
  if (cudaError_t status = cudaGetLastError(); status != cudaSuccess) {
    std::fprintf(stderr, "histogram: %s\n", cudaGetErrorString(status));
    return 1;
  }
  for (unsigned char b : bytes) ++expected[b / (256 / kBins)];
  std::printf("counted %d bytes into %d bins: %s\n", n, kBins, counted == expected ? "correct" : "WRONG");
  return counted == expected ? 0 : 1;
}
