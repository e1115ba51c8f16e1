// SPDX-License-Identifier: Apache-2.0
/// Thread values: where a function finds its block, its thread index and its shared memory.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>

#include "backend/host/compiler/compiler.h"

namespace mneme::host::compiler {

/// The body's leading parameters, before the kernel's own. All but the thread's are the same for a whole segment call.
enum class Field : unsigned {
  Block, Context, Thread, X, Y, Z,
  BlockDimX, BlockDimY, BlockDimZ, GridDimX, GridDimY, GridDimZ, BlockX, BlockY, BlockZ,
  Shared, Frame, Capacity, Exchange, ThreadCount, DynamicBytes, GridId, GridWorkspace, Count
};

[[nodiscard]] bool isPointer(Field field);
[[nodiscard]] llvm::Type* typeOf(Field field, llvm::LLVMContext& context);
/// Loads a field that is the same for the whole block from the block's context.
[[nodiscard]] llvm::Value* loadFromBlock(llvm::IRBuilder<>& builder, llvm::Value* block, Field field);

/// Fields of one function: parameters of the body, loads through the executor's thread context elsewhere.
class ThreadValues {
 public:
  ThreadValues(Unit& unit, llvm::Function& function);
  llvm::Value* get(Field field);
  /// New code at the function's start goes before this.
  llvm::Instruction* anchor() const { return anchor_; }

 private:
  llvm::Value* context(llvm::IRBuilder<>& builder);

  Unit& unit_;
  llvm::Function& function_;
  llvm::Instruction* anchor_ = nullptr;
  std::map<Field, llvm::Value*> known_;
};

}  // namespace mneme::host::compiler
