// SPDX-License-Identifier: Apache-2.0
/// A static kernel of the same name as one in program.cu, and a template that both make.
static __global__ void twin(float* out) { out[threadIdx.x] -= 1; }
template <typename T>
__global__ void common(T* out) { out[threadIdx.x] += 3; }
void launchTwin(float* out) {
  twin<<<1, 32>>>(out);
  common<float><<<1, 32>>>(out);
}
