// SPDX-License-Identifier: Apache-2.0
/// An AMD object to a loadable code object, by lld inside this process.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/error.h"

namespace mneme::code {

/// One at a time: lld keeps its state in the process. Unavailable where this build has no lld.
[[nodiscard]] Expected<std::vector<std::byte>> linkObject(std::span<const std::byte> object);

}  // namespace mneme::code
