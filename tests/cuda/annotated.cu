// SPDX-License-Identifier: Apache-2.0
/// Linked with the recorder, so that MNEME_RECORD alone records it; says what is in its memory: a tag for a launch, a
/// tolerance for a buffer, a block of a pool.
#include "check.h"
#include "mneme/mneme.h"

constexpr int kCount = 1024;

__global__ void scale(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = 3 * values[i] + 1;
}

int main() {
  float* pool = nullptr;
  RT(cudaMalloc(&pool, 64 * kCount * sizeof(float)));
  RT(cudaMemset(pool, 1, 64 * kCount * sizeof(float)));
  float* values = pool + 8 * kCount;
  mneme::suballocated(values, kCount * sizeof(float));
  mneme::annotate(values, {mneme::Element::f32, 1e-6, 1e-4, mneme::any, "scaled values"});
  {
    const auto scope = mneme::tag("warm-up");
    scale<<<kCount / 256, 256>>>(values, kCount);
  }
  RT(cudaDeviceSynchronize());
  printDeviceSum("scaled", values, kCount);
  return 0;
}
