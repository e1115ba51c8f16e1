// SPDX-License-Identifier: Apache-2.0
/// Noise in place of a program's numbers. Internal to format/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/manifest.h"

namespace mneme::format {

[[nodiscard]] bool isFloatingPoint(ElementType type);

/// Finite values between -1 and 1, all bits of the mantissa random; the same for the same seed. A tail shorter than an
/// element is zero.
[[nodiscard]] std::vector<std::byte> noiseOf(ElementType type, size_t bytes, uint64_t seed);

}  // namespace mneme::format
