// SPDX-License-Identifier: Apache-2.0
/// CUDA's error state: a last error per thread that reading clears, and the device's fault, which stays.
#pragma once

#include <driver_types.h>

namespace mneme::host_runtime {

/// Remembers an error as this thread's last one and returns it.
cudaError_t report(cudaError_t error) noexcept;
[[nodiscard]] cudaError_t peekLastError() noexcept;
[[nodiscard]] cudaError_t takeLastError() noexcept;

/// The device is lost to this process, until a reset: every later call answers `fault`.
void raiseFault(cudaError_t fault) noexcept;
[[nodiscard]] cudaError_t pendingFault() noexcept;
void clearFault() noexcept;

}  // namespace mneme::host_runtime
