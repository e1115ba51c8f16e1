// SPDX-License-Identifier: Apache-2.0
/// The frame: where a thread's values wait while others run. One array per value, so that threads side by side
/// lie side by side in memory.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <cstddef>
#include <vector>

#include "backend/host/compiler/bind.h"

namespace mneme::host::compiler {

/// One point of the body: `before` ends in a branch to `after`, which no other block reaches.
struct Cut {
  llvm::BasicBlock* before;
  llvm::BasicBlock* after;
  PointKind kind;
};

class Frame {
 public:
  /// Rematerialises cheap values, moves all others that live across a cut to stack slots, lays out the frame.
  Frame(llvm::Function& body, const std::vector<Cut>& cuts);

  /// Bytes per thread.
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  /// In a clone: frame to stack slots at the start after a cut; stack slots to frame at a cut.
  void enter(llvm::IRBuilder<>& builder, llvm::Function& clone, llvm::ValueToValueMapTy& map, size_t cut) const;
  void leave(llvm::IRBuilder<>& builder, llvm::Function& clone, llvm::ValueToValueMapTy& map, size_t cut) const;
  /// Turns the stack slots of a clone into values again.
  void promote(llvm::Function& clone, llvm::ValueToValueMapTy& map) const;

 private:
  struct Slot {
    llvm::AllocaInst* alloca;
    uint64_t offset;
  };
  uint64_t place(uint64_t size, uint64_t alignment);
  void placeAllocas(llvm::Function& body);
  llvm::Value* address(llvm::IRBuilder<>& builder, llvm::Function& function, uint64_t offset, uint64_t size) const;

  uint64_t bytes_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::vector<size_t>> liveAt_;  ///< per cut: indices into slots_
};

}  // namespace mneme::host::compiler
