// SPDX-License-Identifier: Apache-2.0
/// Kernel and device variable in an anonymous namespace, with a namesake in another file of the program.
#include "check.h"

int* runNamesake();

namespace {
__device__ int calls = 40;

__global__ void count(int* out) {
  if (threadIdx.x == 0) *out = ++calls;
}
}  // namespace

int main() {
  int *out = nullptr, mine = 0, theirs = 0;
  check(cudaMalloc(&out, sizeof *out), "malloc");
  count<<<1, 32>>>(out);
  count<<<1, 32>>>(out);
  check(cudaMemcpy(&mine, out, sizeof mine, cudaMemcpyDeviceToHost), "copy");
  check(cudaMemcpy(&theirs, runNamesake(), sizeof theirs, cudaMemcpyDeviceToHost), "copy");
  return finish(mine == 42 && theirs == 7);
}
