// SPDX-License-Identifier: Apache-2.0
#include "counting.h"

#include <cuda_runtime.h>

/// Which values fall into one bin; set once by the host side below.
__constant__ unsigned valuesPerBin;

/// Every block counts in shared memory and adds its counts to the total at the end.
__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[kBins];
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] / valuesPerBin], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

void countBytes(const unsigned char* data, int n, unsigned* bins) {
  const unsigned perBin = 256 / kBins;
  cudaMemcpyToSymbol(valuesPerBin, &perBin, sizeof perBin);
  histogram<<<8, 128>>>(data, n, bins);
}
