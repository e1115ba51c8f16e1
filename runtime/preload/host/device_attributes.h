// SPDX-License-Identifier: Apache-2.0
/// The device's attributes by CUDA's numbers.
#pragma once

#include <driver_types.h>

namespace mneme::host_runtime {

/// False: CUDA knows no such attribute.
[[nodiscard]] bool deviceAttribute(cudaDeviceAttr attribute, int& value);

}  // namespace mneme::host_runtime
