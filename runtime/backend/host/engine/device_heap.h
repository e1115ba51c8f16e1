// SPDX-License-Identifier: Apache-2.0
/// malloc and free of kernels, in an address range of its own: a pointer into it can be told from the program's. Thread-safe.
#pragma once

#include <cstddef>
#include <optional>

#include "base/launch.h"

namespace mneme::host {

/// nullptr if the heap (1 GiB) is full, as on a device.
[[nodiscard]] void* heapAllocate(size_t size) noexcept;
/// Does nothing for what heapAllocate has not returned.
void heapFree(void* memory) noexcept;

/// What has been in use so far; nullopt if no kernel has asked for any.
[[nodiscard]] std::optional<MemoryRange> heapRange();

}  // namespace mneme::host
