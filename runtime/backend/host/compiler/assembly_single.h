// SPDX-License-Identifier: Apache-2.0
/// Single instructions of inline assembly that are a few operations of IR: atomics, reductions in memory, logic of three.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <string>

namespace mneme::host::compiler {

/// `operands` without blanks. The value (of a `red`, what memory held), or null if the instruction is none of these.
[[nodiscard]] llvm::Value* lowerSingle(llvm::IRBuilder<>& builder, llvm::CallInst& call, const std::string& mnemonic,
                                       const std::string& operands);

}  // namespace mneme::host::compiler
