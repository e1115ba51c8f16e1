// SPDX-License-Identifier: Apache-2.0
/// Runs a pass pipeline over a module.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "base/error.h"
#include "code/specialisation.h"

namespace mneme::code {

/// InvalidArgument, with LLVM's words, for a pipeline that it does not understand.
[[nodiscard]] Expected<void> optimise(llvm::Module& module, llvm::TargetMachine& machine, const Specialisation& wanted);

}  // namespace mneme::code
