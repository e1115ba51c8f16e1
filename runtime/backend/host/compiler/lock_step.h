// SPDX-License-Identifier: Apache-2.0
/// Kernels of old rely on a warp's lanes going in step: volatile shared memory without __syncwarp.
#pragma once

#include "backend/host/compiler/compiler.h"

namespace mneme::host::compiler {

/// The call that stands for "lanes that are here go on together"; a point like others.
inline constexpr const char* kLockStepName = "mneme.lockstep";

/// Marks every place of the kernel where a volatile access to shared memory must wait for the other lanes' last one.
[[nodiscard]] Expected<void> keepInStep(Unit& unit);

}  // namespace mneme::host::compiler
