// SPDX-License-Identifier: Apache-2.0
/// Large enough that nvcc compresses it where it is asked to.
#define STEP(i) value = value * 1.0001f + out[(threadIdx.x + i) % 64];
#define STEPS(i) STEP(i) STEP(i + 1) STEP(i + 2) STEP(i + 3) STEP(i + 4) STEP(i + 5) STEP(i + 6) STEP(i + 7)

__global__ void first(float* out) {
  float value = out[threadIdx.x];
  STEPS(0) STEPS(8) STEPS(16) STEPS(24) STEPS(32) STEPS(40) STEPS(48) STEPS(56)
  out[threadIdx.x] = value;
}

template <typename T>
__global__ void second(T* out) {
  out[threadIdx.x] *= 2;
}

template __global__ void second<double>(double*);

int main() { return 0; }
