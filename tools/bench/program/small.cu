// SPDX-License-Identifier: Apache-2.0
/// Launches an empty kernel many times and prints the nanoseconds a launch takes: the best of ten rounds.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

__global__ void nothing(int* x) {
  if (x) *x = 0;
}

int main() {
  using Clock = std::chrono::steady_clock;
  constexpr int kLaunches = 20000;
  double best = 1e9;
  nothing<<<1, 1>>>(nullptr);
  for (int round = 0; round < 10; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < kLaunches; ++i) nothing<<<1, 1>>>(nullptr);
    const std::chrono::duration<double, std::nano> took = Clock::now() - start;
    best = std::min(best, took.count() / kLaunches);
  }
  std::printf("%.0f\n", best);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
