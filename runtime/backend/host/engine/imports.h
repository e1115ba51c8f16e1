// SPDX-License-Identifier: Apache-2.0
/// The executor's functions that compiled kernels call.
#pragma once

#include <string_view>

namespace mneme::host {

/// Null for a name this engine does not know.
[[nodiscard]] void* importedFunction(std::string_view name);

}  // namespace mneme::host
