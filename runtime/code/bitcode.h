// SPDX-License-Identifier: Apache-2.0
/// What is in a bitcode file, without its function bodies.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::code {

/// Mangled names of the kernels defined in the module, in its order.
[[nodiscard]] Expected<std::vector<std::string>> kernelNames(std::span<const std::byte> bitcode);

}  // namespace mneme::code
