// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "check.h"
#include "map_kernel.h"

void mapOther(double* values, int n);

template <typename T>
T* upload(const std::vector<T>& values) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, values.size() * sizeof(T)), "malloc");
  check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
  return memory;
}

int main() {
  std::vector<int> ints(300, 5);
  std::vector<double> doubles(300, 0.5);
  int* i = upload(ints);
  double* d = upload(doubles);
  mapKernel<int, 3><<<3, 100>>>(i, 300);
  mapOther(d, 300);
  check(cudaMemcpy(ints.data(), i, 300 * sizeof(int), cudaMemcpyDeviceToHost), "copy");
  check(cudaMemcpy(doubles.data(), d, 300 * sizeof(double), cudaMemcpyDeviceToHost), "copy");
  return finish(ints[299] == 16 && doubles[299] == 7 * 0.5 + 1);
}
