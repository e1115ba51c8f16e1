// SPDX-License-Identifier: Apache-2.0
/// Straight-line assembly that only computes: integers with carry, as the slow paths of sin and cos in libdevice do, and
/// comparisons that choose.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace mneme::host::compiler {

/// The call's value, or null if the text has anything that is not known here; instructions that were made then are dead.
[[nodiscard]] llvm::Value* lowerArithmetic(llvm::IRBuilder<>& builder, llvm::CallInst& call, llvm::StringRef text);

}  // namespace mneme::host::compiler
