// SPDX-License-Identifier: Apache-2.0
/// A loop waits if reading memory that others write decides whether it goes on, and its own doing cannot end it.
/// Lock-free updates (compare with what was just read, add one) go on by themselves and stay whole: cutting them would
/// cost the kernel its fast loop over threads.
#include "backend/host/compiler/waiting_loops.h"

#include <cstddef>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace mneme::host::compiler {
namespace {

/// Loops of a function, and which of them end by counting. The counting is worked out only if someone asks.
class Loops {
 public:
  explicit Loops(llvm::Function& function) : function_(function), tree_(function), loops_(tree_) {}

  llvm::SmallVector<llvm::Loop*, 8> all() { return loops_.getLoopsInPreorder(); }
  bool counted(const llvm::Loop& loop) {
    if (!evolution_) {
      library_.emplace(implementation_);
      assumptions_.emplace(function_);
      evolution_.emplace(function_, *library_, *assumptions_, tree_, loops_);
    }
    return !llvm::isa<llvm::SCEVCouldNotCompute>(evolution_->getSymbolicMaxBackedgeTakenCount(&loop));
  }

 private:
  llvm::Function& function_;
  llvm::DominatorTree tree_;
  llvm::LoopInfo loops_;
  llvm::TargetLibraryInfoImpl implementation_{llvm::Triple()};
  std::optional<llvm::TargetLibraryInfo> library_;
  std::optional<llvm::AssumptionCache> assumptions_;
  std::optional<llvm::ScalarEvolution> evolution_;
};

bool isPrivate(const llvm::Value* pointer) { return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer)); }

bool hasFence(const llvm::Loop& loop) {
  for (auto* block : loop.blocks())
    for (auto& instruction : *block)
      if (llvm::isa<llvm::FenceInst>(instruction)) return true;
  return false;
}

/// An exchange, or an operation that leaves memory as it is when it is repeated.
bool repeats(const llvm::AtomicRMWInst& update) {
  using Update = llvm::AtomicRMWInst;
  auto* operand = llvm::dyn_cast<llvm::Constant>(update.getValOperand());
  switch (update.getOperation()) {
    case Update::Add: case Update::Sub: case Update::FAdd: case Update::FSub: return operand && operand->isZeroValue();
    case Update::UIncWrap: case Update::UDecWrap: return false;
    default: return true;
  }
}

/// The address that a read looks at, if others may have to change what is there.
const llvm::Value* watched(const llvm::Instruction& instruction, const llvm::Loop& loop, bool fenced) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    const bool shared = load->isVolatile() || load->isAtomic() || fenced;
    return shared && !isPrivate(load->getPointerOperand()) ? load->getPointerOperand() : nullptr;
  }
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return loop.isLoopInvariant(exchange->getCompareOperand()) ? exchange->getPointerOperand() : nullptr;
  auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  return update && repeats(*update) ? update->getPointerOperand() : nullptr;
}

struct Influence {
  bool branches = false;  ///< the value decides a branch of the loop
  bool exits = false;     ///< one that leaves it
};

Influence influence(llvm::Instruction& read, const llvm::Loop& loop) {
  Influence result;
  llvm::SetVector<llvm::Instruction*> reached;
  reached.insert(&read);
  for (size_t i = 0; i < reached.size(); ++i)
    for (auto* user : reached[i]->users()) {
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (!instruction || !loop.contains(instruction)) continue;
      reached.insert(instruction);
      if (!instruction->isTerminator()) continue;
      result.branches = true;
      result.exits |= loop.isLoopExiting(instruction->getParent());
    }
  return result;
}

bool waits(const llvm::Loop& loop, Loops& loops) {
  const bool fenced = hasFence(loop);
  for (auto* block : loop.blocks())
    for (auto& instruction : *block) {
      auto* address = watched(instruction, loop, fenced);
      if (!address) continue;
      const auto [branches, exits] = influence(instruction, loop);
      if (exits && loop.isLoopInvariant(address)) return true;
      if (branches && !loops.counted(loop)) return true;
    }
  return false;
}

llvm::SmallVector<llvm::Loop*, 8> waitingLoops(Loops& loops) {
  llvm::SmallVector<llvm::Loop*, 8> found;
  for (auto* loop : loops.all())
    if (waits(*loop, loops)) found.push_back(loop);
  return found;
}

bool readsShared(llvm::Function& function) {
  for (auto& instruction : llvm::instructions(function))
    if (instruction.isAtomic() || instruction.isVolatile()) return true;
  return false;
}

}  // namespace

Expected<void> markWaitingLoops(Unit& unit) {
  for (auto& function : unit.module) {
    if (function.isDeclaration() || !readsShared(function)) continue;
    Loops loops(function);
    auto waiting = waitingLoops(loops);
    if (waiting.empty()) continue;
    if (&function != unit.kernel)
      return unsupported(unit, "a loop that waits for other threads in the function " + function.getName().str() +
                                   ", which is recursive or called through a pointer,");
    auto yield = unit.module.getOrInsertFunction(kYieldName, llvm::Type::getVoidTy(unit.module.getContext()));
    for (auto* loop : waiting) {
      llvm::SmallVector<llvm::BasicBlock*, 4> latches;
      loop->getLoopLatches(latches);
      for (auto* latch : latches) llvm::CallInst::Create(yield, "", latch->getTerminator()->getIterator());
    }
  }
  return {};
}

}  // namespace mneme::host::compiler
