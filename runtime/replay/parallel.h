// SPDX-License-Identifier: Apache-2.0
/// Many small pieces of work over all cores of this machine; the first failure stops the rest.
#pragma once

#include <cstddef>
#include <functional>

#include "base/error.h"

namespace mneme::replay {

/// Cores this process may use, at least 1.
[[nodiscard]] unsigned coreCount();

/// Calls work(0) … work(count-1) from `threads` threads, in any order.
[[nodiscard]] Expected<void> parallelFor(size_t count, unsigned threads, const std::function<Expected<void>(size_t)>& work);

}  // namespace mneme::replay
