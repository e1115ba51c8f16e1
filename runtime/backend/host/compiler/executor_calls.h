// SPDX-License-Identifier: Apache-2.0
/// Calls that the executor answers; see ImportDescriptor for how they reach it.
#pragma once

#include "backend/host/compiler/bind.h"

namespace mneme::host::compiler {

[[nodiscard]] Expected<void> lowerExecutorCalls(Unit& unit, llvm::Function& function, ThreadValues& values);

}  // namespace mneme::host::compiler
