// SPDX-License-Identifier: Apache-2.0
/// bench_triad MEGABYTES LAUNCHES [random]: three arrays, c += a + b. Prints each launch's time on the host in
/// microseconds. `random`: values that do not compress.
#include <chrono>
#include <cstdint>

#include "check.h"

__global__ void triad(const float* a, const float* b, float* c, size_t count) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) c[i] += a[i] + b[i];
}

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since).count();
}

/// splitmix64, to a number between 1 and 2.
float randomValue(uint64_t seed) {
  uint64_t bits = seed * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return 1 + static_cast<float>((bits ^ bits >> 31) >> 41) / (1 << 23);
}

int main(int count, char** arguments) {
  const size_t bytes = (count > 1 ? std::atol(arguments[1]) : 64) << 20;
  const int launches = count > 2 ? std::atoi(arguments[2]) : 20;
  const bool random = count > 3;
  const size_t elements = bytes / sizeof(float);
  uint64_t seed = 1;
  const auto start = Clock::now();
  float* arrays[3];
  for (float*& array : arrays) {
    RT(cudaMalloc(&array, bytes));
    std::vector<float> values(elements);
    for (size_t i = 0; i < elements; ++i)
      values[i] = random ? randomValue(i + seed) : static_cast<float>(i * 2654435761u % 1000) / 7;
    seed += elements;
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
  printDeviceSum("triad", arrays[2], 1000);
  std::printf("total_us %.0f\n", microseconds(start));
  return 0;
}
