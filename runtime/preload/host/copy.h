// SPDX-License-Identifier: Apache-2.0
/// Checks of copies' operands, as CUDA makes them: device operands lie inside one allocation, directions fit.
#pragma once

#include <cstddef>
#include <driver_types.h>

namespace mneme::host_runtime {

/// One operand: `rows` rows of `width` bytes, `pitch` apart.
struct Extent2D {
  size_t pitch, width, rows;
  [[nodiscard]] size_t span() const { return rows ? pitch * (rows - 1) + width : 0; }
};

[[nodiscard]] cudaError_t checkCopy(const void* to, size_t toSpan, const void* from, size_t fromSpan,
                                    cudaMemcpyKind kind);
[[nodiscard]] cudaError_t copyRows(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                                   size_t rows, cudaMemcpyKind kind);
[[nodiscard]] cudaError_t copyBytes(void* to, const void* from, size_t count, cudaMemcpyKind kind);

}  // namespace mneme::host_runtime
