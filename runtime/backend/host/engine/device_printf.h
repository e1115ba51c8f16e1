// SPDX-License-Identifier: Apache-2.0
/// CUDA's printf: a format and a packed buffer of promoted arguments, each at its own alignment.
#pragma once

#include <string>

namespace mneme::host {

/// `count` becomes the number of arguments consumed, which is what the device function returns; -1 without a format.
[[nodiscard]] std::string formatDevicePrintf(const char* format, const void* arguments, int& count);

}  // namespace mneme::host
