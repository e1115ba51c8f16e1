// SPDX-License-Identifier: Apache-2.0
/// Volatile loads may follow each other; between a load and a store, or a store and anything, the lanes meet.
#include "backend/host/compiler/lock_step.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace mneme::host::compiler {
namespace {

constexpr unsigned kSharedSpace = 3;

bool isShared(const llvm::Value* pointer) {
  auto* object = llvm::getUnderlyingObject(pointer, 0);
  return pointer->getType()->getPointerAddressSpace() == kSharedSpace || object->getType()->getPointerAddressSpace() == kSharedSpace;
}

bool isVolatileShared(const llvm::Instruction& instruction) {
  if (!instruction.isVolatile()) return false;
  auto* pointer = llvm::getLoadStorePointerOperand(&instruction);
  return pointer && isShared(pointer);
}

}  // namespace

Expected<void> keepInStep(Unit& unit) {
  if (!unit.kernel) return {};
  std::vector<llvm::Instruction*> places;
  for (auto& block : *unit.kernel) {
    bool onlyLoads = false;  // since the last meeting in this block
    for (auto& instruction : block) {
      if (!isVolatileShared(instruction)) continue;
      const bool load = llvm::isa<llvm::LoadInst>(instruction);
      if (!load || !onlyLoads) places.push_back(&instruction);
      onlyLoads = load;
    }
  }
  if (places.empty()) return {};
  auto meet = unit.module.getOrInsertFunction(kLockStepName, llvm::Type::getVoidTy(unit.module.getContext()));
  for (auto* place : places) llvm::CallInst::Create(meet, "", place->getIterator());
  return {};
}

}  // namespace mneme::host::compiler
