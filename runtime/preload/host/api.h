// SPDX-License-Identifier: Apache-2.0
/// What every entry point of the host device's runtime API shares: the API's declarations, exported, and `call`.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include <utility>

#include "base/error.h"
#include "preload/host/error_state.h"

namespace mneme::host_runtime {

/// An API call as CUDA behaves: after a kernel's fault everything fails with that fault; what `body` answers becomes the
/// thread's last error. No exception leaves.
template <typename Body>
cudaError_t call(Body&& body) noexcept {
  if (cudaError_t fault = pendingFault()) return report(fault);
  try {
    return report(std::forward<Body>(body)());
  } catch (...) {  // std::bad_alloc; nothing else is thrown in here
    return report(cudaErrorMemoryAllocation);
  }
}

/// CUDA's code for an error of the runtime's own modules.
[[nodiscard]] cudaError_t toCuda(const Error& error);

inline constexpr int kDevice = 0;  ///< the one host device's ordinal

}  // namespace mneme::host_runtime
