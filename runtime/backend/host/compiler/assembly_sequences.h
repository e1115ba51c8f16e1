// SPDX-License-Identifier: Apache-2.0
/// Inline assembly of several instructions, matched by its whole text.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace mneme::host::compiler {

/// The value that replaces the call, or null if the text is not known.
[[nodiscard]] llvm::Value* lowerSequence(llvm::IRBuilder<>& builder, llvm::CallInst& call, llvm::StringRef text);

}  // namespace mneme::host::compiler
