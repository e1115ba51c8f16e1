// SPDX-License-Identifier: Apache-2.0
/// Allocating and freeing as the CUDA API sees it: nothing for size 0, kinds that must match.
#pragma once

#include <cstddef>
#include <driver_types.h>

#include "base/launch.h"

namespace mneme::host_runtime {

[[nodiscard]] cudaError_t allocate(void** pointer, size_t size, MemoryKind kind);
/// `pinned`: frees what cudaHostAlloc made, otherwise device and managed memory.
[[nodiscard]] cudaError_t release(void* pointer, bool pinned);

}  // namespace mneme::host_runtime
