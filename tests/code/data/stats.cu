// SPDX-License-Identifier: Apache-2.0
// Source of stats_sm_75.cubin and stats_sm_90.cubin: nvcc -cubin -arch=<arch> -Xptxas -v (CUDA 13.0), which said:
//   sm_75 spills: 128 registers, 336 bytes stack, 72 bytes spill stores, 72 bytes spill loads, 1200 bytes smem
//   sm_90 spills: 128 registers, 464 bytes stack, 200 bytes spill stores, 200 bytes spill loads, 1200 bytes smem
__device__ float buffer[100];
__constant__ float factors[32];

__global__ __launch_bounds__(256, 2) void spills(float* x, int n) {
  __shared__ float tile[300];
  float a[64];
  for (int i = 0; i < 64; ++i) a[i] = x[i * n];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i + n) & 63] + tile[i] * factors[i & 31];
  for (int i = 0; i < 64; ++i) x[i] = a[i] + buffer[i];
}

__global__ void tiny(int* p) { *p = 1; }
