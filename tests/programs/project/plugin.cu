// SPDX-License-Identifier: Apache-2.0
/// A library that is loaded while the program runs, with a kernel of its own.
#include "check.h"

__global__ void in_plugin(int* a) { a[threadIdx.x] += 2; }

extern "C" void launch_plugin(int* a) {
  in_plugin<<<1, 32>>>(a);
  check(cudaDeviceSynchronize(), "in_plugin");
}
