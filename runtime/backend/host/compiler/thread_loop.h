// SPDX-License-Identifier: Apache-2.0
/// The loop over a block's threads around one segment's code.
#pragma once

#include "backend/host/compiler/bind.h"

namespace mneme::host::compiler {

/// Makes a SegmentFunction that runs `part` (which is inlined into it) for threads [first, last), x innermost.
[[nodiscard]] llvm::Function* makeThreadLoop(Unit& unit, llvm::Function& part, const std::string& name);

}  // namespace mneme::host::compiler
