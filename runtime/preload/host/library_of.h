// SPDX-License-Identifier: Apache-2.0
/// Which file holds an address of this process, as recordings name it.
#pragma once

#include <string>

namespace mneme::host_runtime {

/// The shared library, relative to the program's folder; empty for the program itself and where it cannot be told.
[[nodiscard]] std::string libraryOf(const void* address);

}  // namespace mneme::host_runtime
