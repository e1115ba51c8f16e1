// SPDX-License-Identifier: Apache-2.0
// A kernel that launches another one, directly or through a function, and the one that is launched.
__global__ void launched(int* out) { *out = threadIdx.x; }
__device__ __noinline__ void launchIt(int* out) { launched<<<1, 32>>>(out); }

extern "C" {
__global__ void launches(int* out) { launched<<<1, 64>>>(out); }
__global__ void launches_in_a_function(int* out) { launchIt(out); }
__global__ void launches_nothing(int* out) { *out = 3; }
}
