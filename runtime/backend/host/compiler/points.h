// SPDX-License-Identifier: Apache-2.0
/// Synchronisation points: which intrinsic is one, and how its operands and result pass through the exchange slot.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <optional>

#include "backend/host/compiler/compiler.h"

namespace mneme::host::compiler {

/// The point that a call is, if it is one. A barrier with a constant number 0 and no count is the block's own.
[[nodiscard]] std::optional<PointKind> pointKind(const llvm::CallBase& call);

/// True if the executor needs an exchange slot per thread for it.
[[nodiscard]] bool needsExchange(PointKind kind);
[[nodiscard]] bool isWarpPoint(PointKind kind);

/// Writes the call's operands to the slot.
void storeOperands(llvm::IRBuilder<>& builder, const llvm::CallBase& call, PointKind kind, llvm::Value* slot);

/// Reads the call's result from the slot; null for a call without one.
[[nodiscard]] llvm::Value* loadResult(llvm::IRBuilder<>& builder, llvm::Type* type, PointKind kind, llvm::Value* slot);

}  // namespace mneme::host::compiler
