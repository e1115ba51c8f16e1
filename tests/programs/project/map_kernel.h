// SPDX-License-Identifier: Apache-2.0
/// A kernel template in a header, instantiated by two translation units.
#pragma once

template <typename T, int kFactor>
__global__ void mapKernel(T* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] * kFactor + T(1);
}
