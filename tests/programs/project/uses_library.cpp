// SPDX-License-Identifier: Apache-2.0
/// Plain C++ whose only kernel lives in a static library.
#include <vector>

#include "check.h"
#include "in_library.h"

int main() {
  std::vector<float> values(500, 3.0f);
  float* x = nullptr;
  check(cudaMalloc(&x, 500 * sizeof(float)), "x");
  check(cudaMemcpy(x, values.data(), 500 * sizeof(float), cudaMemcpyHostToDevice), "copy");
  negateOnDevice(x, 500);
  check(cudaMemcpy(values.data(), x, 500 * sizeof(float), cudaMemcpyDeviceToHost), "copy");
  return finish(values.front() == -3.0f && values.back() == -3.0f);
}
