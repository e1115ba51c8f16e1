// SPDX-License-Identifier: Apache-2.0
/// Statistics of NVIDIA's cubins.
#pragma once

#include "code/kernel_statistics.h"

namespace mneme::code {

[[nodiscard]] Expected<std::vector<KernelStatistics>> cubinStatistics(std::span<const std::byte> image);

}  // namespace mneme::code
