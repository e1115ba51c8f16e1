// SPDX-License-Identifier: Apache-2.0
/// Numbers of a kernel as functions of the thread's place: x, y and z with a factor each, and what is left.
/// Everything is counted modulo 2^32; what is addressed in shared memory is far smaller.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>

#include <array>

#include "backend/host/compiler/divergence.h"

namespace mneme::host::compiler {

struct LaneForm {
  std::array<const llvm::SCEV*, 3> factor{};           ///< of x, y, z; null: 0
  llvm::SmallVector<const llvm::SCEV*, 4> uniform;      ///< terms that all lanes of a warp share in a round of a loop
  llvm::SmallVector<const llvm::SCEV*, 4> varying;      ///< terms about which nothing is known
};

/// Places of the thread that a condition leaves only one value for; null: free.
using Pins = std::array<const llvm::SCEV*, 3>;

class LaneForms {
 public:
  /// Gathers the kernel's thread registers first. `mostThreads`: of a block.
  LaneForms(llvm::Function& kernel, uint32_t mostThreads);

  llvm::ScalarEvolution& evolution() { return evolution_; }
  llvm::LoopInfo& loops() { return loops_; }
  [[nodiscard]] const ThreadRegisters& registers() const { return registers_; }
  [[nodiscard]] uint32_t mostThreads() const { return mostThreads_; }

  LaneForm of(const llvm::SCEV* number);
  /// What the conditions on the way to a block say about the thread.
  Pins pinsAt(llvm::BasicBlock& block);

 private:
  void split(const llvm::SCEV* term, const llvm::SCEV* factor, LaneForm& form);
  void splitProduct(const llvm::SCEVMulExpr& product, const llvm::SCEV* factor, LaneForm& form);
  void addLeaf(const llvm::SCEV* term, const llvm::SCEV* factor, LaneForm& form);
  [[nodiscard]] bool onlyX() const { return !registers_.thread[1] && !registers_.thread[2]; }
  [[nodiscard]] bool isX(const llvm::SCEV* number) const;
  [[nodiscard]] bool sharedByWarp(const llvm::SCEV* number) const;
  void pin(llvm::Value* condition, bool holds, Pins& pins);
  void pinEqual(llvm::Value* left, llvm::Value* right, Pins& pins);

  llvm::Function& kernel_;
  uint32_t mostThreads_;
  ThreadRegisters registers_;
  llvm::DominatorTree tree_;
  llvm::LoopInfo loops_;
  llvm::TargetLibraryInfoImpl implementation_;
  llvm::TargetLibraryInfo library_;
  llvm::AssumptionCache assumptions_;
  llvm::ScalarEvolution evolution_;
  Divergence divergence_;
};

}  // namespace mneme::host::compiler
