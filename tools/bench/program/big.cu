// SPDX-License-Identifier: Apache-2.0
/// A kernel that reads 1 GiB of random float and writes 1 MiB. Prints, in seconds: one memcpy and one memcmp of the bytes
/// into touched memory, the launch, and the time of day when main returns: exit waits for the recording after that.
/// `big dump FILE` writes the bytes instead.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

constexpr size_t kFloats = size_t{1} << 28, kSums = size_t{1} << 18;

__global__ void sums(const float* x, float* out) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x, each = kFloats / kSums;
  float sum = 0;
  for (size_t k = 0; k < each; ++k) sum += x[i * each + k];
  out[i] = sum;
}

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) {
  std::vector<float> values(kFloats);
  std::minstd_rand random(1);
  for (float& v : values) v = float(random()) / float(random.max());
  const size_t bytes = kFloats * sizeof(float);
  if (argc > 2) {
    std::FILE* file = std::fopen(argv[2], "wb");
    return file && std::fwrite(values.data(), 1, bytes, file) == bytes && std::fclose(file) == 0 ? 0 : 1;
  }

  // Twice: the first copy touches the pages, the second is timed. The compiler must not take the first one out.
  std::vector<float> copy = values;
  asm volatile("" : : "r"(copy.data()) : "memory");
  double start = now();
  std::memcpy(copy.data(), values.data(), bytes);
  std::printf("memcpy %.4f\n", now() - start);
  start = now();
  const bool same = std::memcmp(copy.data(), values.data(), bytes) == 0;
  std::printf("memcmp %.4f\n", now() - start);
  copy = {};

  float *x = nullptr, *out = nullptr;
  if (cudaMalloc(&x, bytes) != cudaSuccess || cudaMalloc(&out, kSums * sizeof(float)) != cudaSuccess) return 1;
  cudaMemcpy(x, values.data(), bytes, cudaMemcpyHostToDevice);
  values = {};
  // The first launch compiles the kernel; the second is the one to time, and to record (MNEME_RECORD_SKIP=1).
  sums<<<kSums / 256, 256>>>(x, out);
  start = now();
  sums<<<kSums / 256, 256>>>(x, out);
  const bool fine = cudaDeviceSynchronize() == cudaSuccess;
  std::printf("launch %.4f\n", now() - start);
  using namespace std::chrono;
  std::printf("returned %.4f\n", duration<double>(system_clock::now().time_since_epoch()).count());
  return fine && same ? 0 : 1;
}
