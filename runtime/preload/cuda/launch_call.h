// SPDX-License-Identifier: Apache-2.0
/// A launch call of the driver API, whatever its form: handle, shape, stream, arguments.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/launch.h"

namespace mneme::preload {

struct LaunchCall {
  CUfunction handle = nullptr;  ///< or a CUkernel
  LaunchShape shape;
  CUstream stream = nullptr;  ///< never null: the default streams by their own handles
  void** parameters = nullptr;
  void** extra = nullptr;
};

/// nullopt: the callback id is not a launch of one kernel.
[[nodiscard]] std::optional<LaunchCall> decodeLaunch(uint32_t callbackId, const void* functionParams);

/// A stream as the program gave it, by its own handle.
[[nodiscard]] CUstream namedStream(CUstream stream, bool perThreadDefault);

/// The arguments one after the other, as the slots say, into `packed`. False where the call gives none of that size.
[[nodiscard]] bool packArguments(const LaunchCall& call, const std::vector<ParameterSlot>& slots, uint32_t size,
                                 std::vector<std::byte>& packed);

}  // namespace mneme::preload
