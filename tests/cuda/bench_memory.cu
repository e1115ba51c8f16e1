// SPDX-License-Identifier: Apache-2.0
/// bench_memory live GIGABYTES | allocations COUNT: launches beside much memory, and beside many allocations.
/// `live`: the kernel reaches 1 GB of it. `allocations`: it reaches one directly, and in a second kernel all by pointers.
/// Prints what making the memory and each of the launches took on the host.
#include <chrono>
#include <cstring>

#include "check.h"

__global__ void reaches_one(float* values, size_t count) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) values[i] += 1;
}

__global__ void reaches_all(float** blocks, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) blocks[i][i % 64] += 1;
}

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

template <typename Launch>
void timed(const char* name, Launch launch) {
  for (const char* turn : {"first", "second"}) {
    const auto begin = Clock::now();
    launch();
    RT(cudaDeviceSynchronize());
    std::printf("%s_%s_ms %.3f\n", name, turn, milliseconds(begin));
  }
}

float* zeroed(size_t bytes) {
  float* memory = nullptr;
  RT(cudaMalloc(&memory, bytes));
  RT(cudaMemset(memory, 0, bytes));
  return memory;
}

void live(size_t gigabytes) {
  constexpr size_t kGigabyte = size_t{1} << 30;
  float* own = zeroed(kGigabyte);
  for (size_t i = 1; i < gigabytes; ++i) zeroed(kGigabyte);
  RT(cudaDeviceSynchronize());
  const size_t count = kGigabyte / sizeof(float);
  timed("reaches_one", [&] { reaches_one<<<static_cast<unsigned>(count / 256), 256>>>(own, count); });
}

void allocations(int count) {
  const auto begin = Clock::now();
  std::vector<float*> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back(zeroed(4096));
  RT(cudaDeviceSynchronize());
  std::printf("making_ms %.1f\n", milliseconds(begin));
  float** table = nullptr;
  RT(cudaMalloc(&table, count * sizeof(float*)));
  RT(cudaMemcpy(table, blocks.data(), count * sizeof(float*), cudaMemcpyHostToDevice));
  timed("reaches_one", [&] { reaches_one<<<4, 256>>>(blocks[0], 1024); });
  timed("reaches_all", [&] { reaches_all<<<(count + 255) / 256, 256>>>(table, count); });
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  if (!std::strcmp(arguments[1], "live")) live(std::atol(arguments[2]));
  else allocations(std::atoi(arguments[2]));
  return 0;
}
