// SPDX-License-Identifier: Apache-2.0
/// The kernel of a static library.
#include "in_library.h"

#include "check.h"

__global__ void negate(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = -x[i];
}

void negateOnDevice(float* x, int n) { negate<<<(n + 63) / 64, 64>>>(x, n); }
