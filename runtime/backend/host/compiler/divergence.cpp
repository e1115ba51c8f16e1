// SPDX-License-Identifier: Apache-2.0
/// From its sources (thread numbers, atomics, private memory) divergence follows operands, and branches to where they join.
#include "backend/host/compiler/divergence.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/IteratedDominanceFrontier.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace mneme::host::compiler {
namespace {

constexpr const char* kRegisters = "llvm.nvvm.read.ptx.sreg.";

/// The same in every thread of a block.
bool isBlockRegister(llvm::StringRef name) {
  return name.starts_with("ntid") || name.starts_with("ctaid") || name.starts_with("nctaid") || name == "warpsize" ||
         name == "nwarpid" || name == "dynamic_smem_size" || name == "gridid";
}

bool isSource(const llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load->getPointerOperand()));
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::AllocaInst>(instruction)) return true;
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call) return false;
  auto* callee = call->getCalledFunction();
  if (!callee) return true;
  auto name = callee->getName();
  if (name.consume_front(kRegisters)) return !isBlockRegister(name);
  return name.starts_with("llvm.nvvm.") || !callee->doesNotAccessMemory();
}

/// Follows divergence forward until nothing is added.
class Spread {
 public:
  Spread(llvm::SmallPtrSetImpl<const llvm::Value*>& found, llvm::DominatorTree& tree, llvm::LoopInfo& loops)
      : found_(found), tree_(tree), loops_(loops) {}

  void from(llvm::Instruction& source) {
    add(source);
    while (!left_.empty()) {
      auto* next = left_.pop_back_val();
      for (auto* user : next->users())
        if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) add(*instruction);
      if (next->isTerminator()) branch(*next->getParent());
    }
  }

 private:
  void add(llvm::Instruction& instruction) {
    if (found_.insert(&instruction).second) left_.push_back(&instruction);
  }

  void branch(llvm::BasicBlock& block) {
    llvm::SmallPtrSet<llvm::BasicBlock*, 4> targets(llvm::succ_begin(&block), llvm::succ_end(&block));
    if (targets.size() < 2) return;
    llvm::ForwardIDFCalculator frontier(tree_);
    frontier.setDefiningBlocks(targets);
    llvm::SmallVector<llvm::BasicBlock*, 8> joins;
    frontier.calculate(joins);
    for (auto* join : joins)
      if (!nextRound(*join, block))
        for (auto& phi : join->phis()) add(phi);
    leave(block);
  }

  /// Paths meet at a loop's header only because it goes round: its values are those of a round, which all threads count alike.
  bool nextRound(llvm::BasicBlock& join, llvm::BasicBlock& block) {
    auto* loop = loops_.getLoopFor(&join);
    if (!loop || loop->getHeader() != &join) return false;
    return loop->contains(&block) ? loop->getLoopLatch() != nullptr : loop->getLoopPredecessor() != nullptr;
  }

  /// Threads that leave a loop in different rounds take different values with them.
  void leave(llvm::BasicBlock& block) {
    for (auto* loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
      if (!loop->isLoopExiting(&block)) continue;
      for (auto* inner : loop->blocks())
        for (auto& instruction : *inner)
          for (auto* user : instruction.users())
            if (auto* outside = llvm::dyn_cast<llvm::Instruction>(user); outside && !loop->contains(outside)) add(*outside);
    }
  }

  llvm::SmallPtrSetImpl<const llvm::Value*>& found_;
  llvm::DominatorTree& tree_;
  llvm::LoopInfo& loops_;
  llvm::SmallVector<llvm::Instruction*, 32> left_;
};

/// One call at the start in place of all of that name.
llvm::Value* gather(llvm::Function& kernel, const std::string& name) {
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (auto& instruction : llvm::instructions(kernel))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      if (auto* callee = call->getCalledFunction(); callee && callee->getName() == kRegisters + name) calls.push_back(call);
  if (calls.empty()) return nullptr;
  auto* first = calls.front();
  first->moveBefore(kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (auto* other : llvm::ArrayRef(calls).drop_front()) {
    other->replaceAllUsesWith(first);
    other->eraseFromParent();
  }
  return first;
}

}  // namespace

ThreadRegisters gatherThreadRegisters(llvm::Function& kernel) {
  ThreadRegisters registers;
  const char* axes[] = {"x", "y", "z"};
  for (unsigned i = 0; i < 3; ++i) {
    registers.thread[i] = gather(kernel, std::string("tid.") + axes[i]);
    registers.blockDim[i] = gather(kernel, std::string("ntid.") + axes[i]);
  }
  return registers;
}

Divergence::Divergence(llvm::Function& kernel, llvm::DominatorTree& tree, llvm::LoopInfo& loops) {
  Spread spread(divergent_, tree, loops);
  for (auto& instruction : llvm::instructions(kernel))
    if (isSource(instruction)) spread.from(instruction);
}

}  // namespace mneme::host::compiler
