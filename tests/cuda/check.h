// SPDX-License-Identifier: Apache-2.0
/// For the test programs: a failing CUDA call ends the program with its name; results are printed as a checksum, so that
/// a recorded and an unrecorded run can be compared.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void checkRuntime(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(result));
  std::exit(3);
}

inline void checkDriver(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: driver error %d\n", call, static_cast<int>(result));
  std::exit(3);
}

#define RT(call) checkRuntime((call), #call)
#define DRV(call) checkDriver((call), #call)

inline void printSum(const char* name, const float* values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += values[i] * (1 + i % 7);
  std::printf("%s %.6f\n", name, sum);
}

inline void printDeviceSum(const char* name, const float* device, size_t count) {
  std::vector<float> values(count);
  RT(cudaMemcpy(values.data(), device, count * sizeof(float), cudaMemcpyDefault));
  printSum(name, values.data(), count);
}
