// SPDX-License-Identifier: Apache-2.0
/// No kernel, but what another module's kernel calls.
__device__ float elsewhere(float value) { return value * 2; }
static __global__ void hidden(float* a) { *a = elsewhere(*a); }
namespace {
__global__ void anonymous(float* a) { *a = elsewhere(*a) + 1; }
}  // namespace
void launch(float* a) {
  hidden<<<1, 1>>>(a);
  anonymous<<<1, 1>>>(a);
}
