// SPDX-License-Identifier: Apache-2.0
/// Everything that happens to the IR before the first pass: link, pin, fix numerics, specialise, choose the target.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>
#include <vector>

#include "code/generate.h"
#include "code/ir/kernel_linker.h"

namespace mneme::code {

struct PreparedKernel {
  LinkedKernel linked;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::vector<CodeVariable> variables;
  std::vector<ParameterSlot> parameters;
};

[[nodiscard]] Expected<PreparedKernel> prepare(llvm::LLVMContext& context, const GenerateInput& input);

}  // namespace mneme::code
