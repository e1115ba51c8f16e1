// SPDX-License-Identifier: Apache-2.0
/// bench_triad MEGABYTES LAUNCHES: three arrays, c += a + b. Prints each launch's time on the host in microseconds.
#include <chrono>

#include "check.h"

__global__ void triad(const float* a, const float* b, float* c, size_t count) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) c[i] += a[i] + b[i];
}

__global__ void nothing(float* c) {
  if (c == nullptr) return;
}

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since).count();
}

int main(int count, char** arguments) {
  const size_t bytes = (count > 1 ? std::atol(arguments[1]) : 64) << 20;
  const int launches = count > 2 ? std::atoi(arguments[2]) : 20;
  const size_t elements = bytes / sizeof(float);
  const auto start = Clock::now();
  float* arrays[3];
  for (float*& array : arrays) {
    RT(cudaMalloc(&array, bytes));
    std::vector<float> values(elements);
    for (size_t i = 0; i < elements; ++i) values[i] = static_cast<float>(i * 2654435761u % 1000) / 7;
    RT(cudaMemcpy(array, values.data(), bytes, cudaMemcpyHostToDevice));
  }
  RT(cudaDeviceSynchronize());
  std::printf("setup_us %.0f\n", microseconds(start));
  for (int i = 0; i < launches; ++i) {
    const auto begin = Clock::now();
    triad<<<static_cast<unsigned>((elements + 255) / 256), 256>>>(arrays[0], arrays[1], arrays[2], elements);
    RT(cudaDeviceSynchronize());
    std::printf("launch_us %.1f\n", microseconds(begin));
  }
  constexpr int kMany = 100000;
  for (int round = 0; round < 2; ++round) {
    const auto begin = Clock::now();
    for (int i = 0; i < kMany; ++i) nothing<<<1, 32>>>(arrays[2]);
    RT(cudaDeviceSynchronize());
    if (round == 1) std::printf("small_launch_us %.3f\n", microseconds(begin) / kMany);
  }
  printDeviceSum("triad", arrays[2], 1000);
  std::printf("total_us %.0f\n", microseconds(start));
  return 0;
}
