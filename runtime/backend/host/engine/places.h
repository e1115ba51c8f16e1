// SPDX-License-Identifier: Apache-2.0
/// A register of the memory that kernels get from the engine for as long as a launch runs: shared memory, local variables.
/// What was given back stays known for a while, since it is asked about right after the launch. Thread-safe.
#pragma once

#include <cstddef>

namespace mneme::host {

/// `what` is a literal: "shared memory".
void notePlace(const void* memory, size_t size, const char* what);
void retirePlace(const void* memory);

/// The calling thread's stack near the caller, where local variables of kernels without frames lie. Cheap after the first call.
void noteOwnStack();

}  // namespace mneme::host
