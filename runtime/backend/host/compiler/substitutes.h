// SPDX-License-Identifier: Apache-2.0
/// Instructions that others stand for: warp operations without a mask, elections, asynchronous copies.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "backend/host/compiler/compiler.h"

namespace mneme::host::compiler {

/// Copies at once; bytes of the target beyond `given` (null: all are given) become 0.
void copyToShared(llvm::IRBuilder<>& builder, llvm::Value* target, llvm::Value* source, uint64_t bytes, llvm::Value* given);

/// Replaces their intrinsics everywhere in the module.
void substituteIntrinsics(llvm::Module& module);

}  // namespace mneme::host::compiler
