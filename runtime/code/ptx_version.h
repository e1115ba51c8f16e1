// SPDX-License-Identifier: Apache-2.0
/// Which PTX a driver takes.
#pragma once

#include <cstdint>
#include <string_view>

namespace mneme::code {

/// Of a driver that supports CUDA `version` ("13.0"), as 10*major+minor; 0 for text that is no version.
/// A CUDA newer than this table takes at least what the newest one known takes.
[[nodiscard]] uint32_t ptxVersionOfCuda(std::string_view version);

}  // namespace mneme::code
