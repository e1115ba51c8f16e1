// SPDX-License-Identifier: Apache-2.0
/// Streams of the host device. All work is done when a call returns, so a stream is its attributes and no queue.
#pragma once

#include <driver_types.h>

namespace mneme::host_runtime {

/// True for the null stream, the two special ones and every live created one.
[[nodiscard]] bool validStream(cudaStream_t stream);

}  // namespace mneme::host_runtime
