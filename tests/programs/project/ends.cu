// SPDX-License-Identifier: Apache-2.0
/// Ends as its first argument says, after a launch whose memory takes a while to write.
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "check.h"

__global__ void work(float* a, int n) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += static_cast<int>(gridDim.x * blockDim.x))
    a[i] = static_cast<float>(i * 7919 % 10007);
}

int main(int argc, char** argv) {
  const auto asked = [&](const char* how) { return argc > 1 && std::strcmp(argv[1], how) == 0; };
  if (asked("early")) std::raise(SIGSEGV);
  if (asked("never")) return 0;
  float* a;
  const int n = 2 << 20;
  check(cudaMalloc(&a, n * sizeof(float)), "cudaMalloc");
  work<<<asked("wrong") ? 0 : 64, 128>>>(a, n);
  check(asked("wrong") ? cudaSuccess : cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (asked("crash")) *static_cast<volatile int*>(nullptr) = 1;
  if (asked("abort")) std::abort();
  if (asked("terminated")) kill(getpid(), SIGTERM);
  if (asked("exit")) _exit(5);
  return 0;
}
