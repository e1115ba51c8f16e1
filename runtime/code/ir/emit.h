// SPDX-License-Identifier: Apache-2.0
/// Machine code from a finished module: PTX text, or an AMD code object.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::code {

[[nodiscard]] Expected<std::string> emitPtx(llvm::Module& module, llvm::TargetMachine& machine);
/// Unavailable where this build has no lld.
[[nodiscard]] Expected<std::vector<std::byte>> emitCodeObject(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace mneme::code
