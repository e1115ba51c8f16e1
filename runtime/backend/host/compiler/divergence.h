// SPDX-License-Identifier: Apache-2.0
/// Which values of a kernel are the same in all threads of a block that compute them in the same round of their loops.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>

#include <array>

namespace llvm {
class DominatorTree;
class Function;
class LoopInfo;
class Value;
}  // namespace llvm

namespace mneme::host::compiler {

/// A thread's place as the kernel asks for it; null what it never asks for.
struct ThreadRegisters {
  std::array<llvm::Value*, 3> thread{};    ///< tid.x, y, z
  std::array<llvm::Value*, 3> blockDim{};  ///< ntid.x, y, z
  /// The last axis that the kernel asks for: only lanes of one warp away, a higher lane never lower.
  [[nodiscard]] unsigned outermost() const { return thread[2] ? 2 : thread[1] ? 1 : 0; }
};

/// Asks for each register once, at the kernel's start, so that equal values are one value.
[[nodiscard]] ThreadRegisters gatherThreadRegisters(llvm::Function& kernel);

class Divergence {
 public:
  Divergence(llvm::Function& kernel, llvm::DominatorTree& tree, llvm::LoopInfo& loops);
  [[nodiscard]] bool uniform(const llvm::Value* value) const { return !divergent_.contains(value); }

 private:
  llvm::SmallPtrSet<const llvm::Value*, 32> divergent_;
};

}  // namespace mneme::host::compiler
