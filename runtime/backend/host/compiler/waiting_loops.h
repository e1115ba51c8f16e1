// SPDX-License-Identifier: Apache-2.0
/// Loops in which a thread waits for another one: spin locks, flags, counters that others advance.
#pragma once

#include "backend/host/compiler/compiler.h"

namespace mneme::host::compiler {

/// Ends every round of such a loop of the kernel with a call of kYieldName, which is a synchronisation point: whoever is
/// waited for may run on this core too. Refuses kernels that reach such a loop in a function that stays a function.
[[nodiscard]] Expected<void> markWaitingLoops(Unit& unit);

inline constexpr const char* kYieldName = "mneme.yield";

}  // namespace mneme::host::compiler
