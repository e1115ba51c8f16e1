// SPDX-License-Identifier: Apache-2.0
/// Work on all cores, and threads that the program does not notice: no signal of its ever arrives in them.
#pragma once

#include <cstddef>
#include <functional>

namespace mneme::host_runtime {

/// Calls work(0) … work(count-1), each once, on all cores, and returns when all are done. Small counts stay here.
void parallelFor(size_t count, const std::function<void(size_t)>& work);

/// A detached thread.
void runInBackground(std::function<void()> work);

}  // namespace mneme::host_runtime
