// SPDX-License-Identifier: Apache-2.0
/// Kernels and variables whose description in the cubin the test knows.
struct Large {
  float values[1500];
};

__device__ float gain = 2.0f;
__device__ float history[100];
__constant__ float weights[4] = {1, 2, 3, 4};
__managed__ int counter;

extern "C" __global__ void mixed(float* out, int n, double factor, char flag, Large table) {
  out[n] = gain * factor + flag + table.values[n] * weights[n & 3] + history[n];
  counter = n;
}

extern "C" __global__ void plain(float* out) { out[threadIdx.x] *= 2; }

extern "C" __global__ void nothing() {}
