// SPDX-License-Identifier: Apache-2.0
/// What a cudaArray_t stands for.
#pragma once

#include <cstddef>
#include <driver_types.h>

namespace mneme::host_runtime {

struct Array {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  ///< in texels; height and depth may be 0
  size_t pitch = 0;
  char* data = nullptr;
};

/// Null if the program holds no such array. Valid until it frees it.
[[nodiscard]] const Array* findArray(cudaArray_const_t handle);
[[nodiscard]] size_t texelBytesOf(const Array& array);

}  // namespace mneme::host_runtime
