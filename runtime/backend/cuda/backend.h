// SPDX-License-Identifier: Apache-2.0
/// The CUDA back-end, as the registry knows it.
#pragma once

#include "device/device.h"

namespace mneme::cuda {

[[nodiscard]] device::Backend& deviceBackend();

}  // namespace mneme::cuda
