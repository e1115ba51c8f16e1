// SPDX-License-Identifier: Apache-2.0
/// Launches, waits, and leaves by _exit in the middle: no destructor, no atexit handler, exit code 9.
#include <unistd.h>

#include <chrono>
#include <thread>

#include "check.h"

__global__ void mark(int* x) { x[threadIdx.x] = 100 + threadIdx.x; }

int main(int argc, char**) {
  int* x = nullptr;
  check(cudaMalloc(&x, 32 * sizeof(int)), "malloc");
  mark<<<1, 32>>>(x);
  check(cudaDeviceSynchronize(), "mark");
  if (argc > 1) std::this_thread::sleep_for(std::chrono::seconds(4));
  _exit(9);
}
