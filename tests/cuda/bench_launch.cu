// SPDX-License-Identifier: Apache-2.0
/// bench_launch [many]: what a small launch costs the host, as the median over many batches, none of which fills the queue;
/// `many`: also the time of 100 000 launches in a row.
#include <algorithm>
#include <chrono>

#include "check.h"

__global__ void nothing(float* out) {
  if (out == nullptr) return;
}

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::nano>(Clock::now() - since).count();
}

int main(int count, char**) {
  constexpr int kBatches = 400, kBatch = 200, kMany = 100000;
  float* memory = nullptr;
  RT(cudaMalloc(&memory, 4096));
  nothing<<<1, 32>>>(memory);
  RT(cudaDeviceSynchronize());
  std::vector<double> batches;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto begin = Clock::now();
    for (int i = 0; i < kBatch; ++i) nothing<<<1, 32>>>(memory);
    batches.push_back(nanoseconds(begin) / kBatch);
    RT(cudaDeviceSynchronize());
  }
  std::nth_element(batches.begin(), batches.begin() + kBatches / 2, batches.end());
  std::printf("launch_ns %.1f\n", batches[kBatches / 2]);
  if (count == 1) return 0;
  const auto begin = Clock::now();
  for (int i = 0; i < kMany; ++i) nothing<<<1, 32>>>(memory);
  RT(cudaDeviceSynchronize());
  std::printf("many_ms %.1f\n", nanoseconds(begin) / 1e6);
  return 0;
}
