// SPDX-License-Identifier: Apache-2.0
/// Liveness across cuts, rematerialisation, and the layout of the frame.
#include "backend/host/compiler/frame.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <cstddef>
#include <map>

namespace mneme::host::compiler {
namespace {

using Values = std::vector<llvm::Instruction*>;

/// Which instructions' values are live at the start of each block.
class Liveness {
 public:
  explicit Liveness(llvm::Function& body) {
    for (auto& instruction : llvm::instructions(body))
      if (!instruction.getType()->isVoidTy() && !llvm::isa<llvm::AllocaInst>(instruction)) {
        number_[&instruction] = values_.size();
        values_.push_back(&instruction);
      }
    for (auto& block : body) in_[&block].resize(values_.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (auto* block : llvm::post_order(&body)) changed |= update(*block);
    }
  }

  [[nodiscard]] Values liveIn(llvm::BasicBlock* block) const {
    Values live;
    for (unsigned index : in_.at(block).set_bits()) live.push_back(values_[index]);
    return live;
  }

 private:
  bool update(llvm::BasicBlock& block) {
    llvm::BitVector live(values_.size());
    for (auto* next : llvm::successors(&block)) {
      live |= in_[next];
      for (auto& phi : next->phis()) add(live, phi.getIncomingValueForBlock(&block));
    }
    for (auto instruction = block.rbegin(); instruction != block.rend(); ++instruction) {
      if (auto found = number_.find(&*instruction); found != number_.end()) live.reset(found->second);
      if (llvm::isa<llvm::PHINode>(*instruction)) continue;
      for (auto& operand : instruction->operands()) add(live, operand);
    }
    if (live == in_[&block]) return false;
    in_[&block] = std::move(live);
    return true;
  }

  void add(llvm::BitVector& live, llvm::Value* value) const {
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value))
      if (auto found = number_.find(instruction); found != number_.end()) live.set(found->second);
  }

  Values values_;
  std::map<llvm::Instruction*, unsigned> number_;
  std::map<llvm::BasicBlock*, llvm::BitVector> in_;
};

Values liveAcross(llvm::Function& body, const std::vector<Cut>& cuts) {
  Liveness liveness(body);
  llvm::SmallPtrSet<llvm::Instruction*, 32> seen;
  Values all;
  for (auto& cut : cuts)
    for (auto* value : liveness.liveIn(cut.after))
      if (seen.insert(value).second) all.push_back(value);
  return all;
}

/// How many instructions it takes to compute a value from parameters and constants alone; more than `limit`: too many.
unsigned costToRemake(const llvm::Value* value, unsigned limit) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || llvm::isa<llvm::AllocaInst>(instruction)) return 0;
  const bool invariantLoad = llvm::isa<llvm::LoadInst>(instruction) &&
                             instruction->hasMetadata(llvm::LLVMContext::MD_invariant_load) &&
                             llvm::isa<llvm::GlobalVariable>(instruction->getOperand(0));
  const bool cheap = invariantLoad || llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::ICmpInst,
                                                llvm::SelectInst, llvm::FreezeInst>(instruction) ||
                     (llvm::isa<llvm::BinaryOperator>(instruction) && !instruction->isIntDivRem() &&
                      !instruction->getType()->isFPOrFPVectorTy());
  if (!cheap || limit == 0 || llvm::isa<llvm::FreezeInst>(instruction)) return limit + 1;
  unsigned cost = 1;
  for (auto& operand : instruction->operands()) {
    if (cost > limit) break;
    cost += costToRemake(operand, limit - cost);
  }
  return cost;
}

llvm::Value* remake(llvm::Value* value, llvm::Instruction* before, std::map<llvm::Value*, llvm::Value*>& made) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || llvm::isa<llvm::AllocaInst>(instruction)) return value;
  auto& result = made[value];
  if (result) return result;
  auto* copy = instruction->clone();
  for (unsigned i = 0; i < copy->getNumOperands(); ++i) copy->setOperand(i, remake(instruction->getOperand(i), before, made));
  copy->insertBefore(before->getIterator());
  return made[value] = copy;
}

/// Where a new instruction for this use may stand.
llvm::Instruction* placeFor(llvm::Use& use) {
  auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) return phi->getIncomingBlock(use)->getTerminator();
  return user;
}

/// Cheap values are computed again where they are used instead of waiting in the frame.
void rematerialise(llvm::Function& body, const std::vector<Cut>& cuts) {
  constexpr unsigned kLimit = 10;
  Values cheap;
  for (auto* value : liveAcross(body, cuts))
    if (costToRemake(value, kLimit) <= kLimit) cheap.push_back(value);
  for (auto* value : cheap) {
    std::map<std::pair<llvm::Instruction*, llvm::Value*>, llvm::Value*> perPlace;
    for (auto& use : llvm::make_early_inc_range(value->uses())) {
      auto* place = placeFor(use);
      if (place->getParent() == value->getParent()) continue;
      auto& copy = perPlace[{place, value}];
      std::map<llvm::Value*, llvm::Value*> made;
      if (!copy) copy = remake(value, place, made);
      use.set(copy);
    }
  }
  llvm::SmallVector<llvm::WeakTrackingVH, 16> replaced(cheap.rbegin(), cheap.rend());  // one's end can be another's
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

}  // namespace

uint64_t Frame::place(uint64_t size, uint64_t alignment) {
  bytes_ = llvm::alignTo(bytes_, alignment);
  uint64_t offset = bytes_;
  bytes_ += llvm::alignTo(size, alignment);
  return offset;
}

llvm::Value* Frame::address(llvm::IRBuilder<>& builder, llvm::Function& function, uint64_t offset,
                            uint64_t size) const {
  auto* frame = function.getArg(static_cast<unsigned>(Field::Frame));
  auto* capacity = builder.CreateZExt(function.getArg(static_cast<unsigned>(Field::Capacity)), builder.getInt64Ty());
  auto* thread = builder.CreateZExt(function.getArg(static_cast<unsigned>(Field::Thread)), builder.getInt64Ty());
  auto* array = builder.CreateInBoundsGEP(builder.getInt8Ty(), frame,
                                          builder.CreateMul(capacity, builder.getInt64(offset), "", true, true));
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), array,
                                   builder.CreateMul(thread, builder.getInt64(size), "", true, true));
}

/// Arrays and other variables of the thread that stay in memory lie in the frame altogether.
void Frame::placeAllocas(llvm::Function& body) {
  const auto& layout = body.getParent()->getDataLayout();
  std::vector<llvm::AllocaInst*> allocas;
  for (auto& instruction : body.getEntryBlock())
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) allocas.push_back(alloca);
  for (auto* alloca : allocas) {
    auto size = alloca->getAllocationSize(layout);
    if (!size || alloca->use_empty()) continue;
    uint64_t alignment = alloca->getAlign().value();
    uint64_t rounded = llvm::alignTo(size->getFixedValue(), alignment);
    uint64_t offset = place(rounded, alignment);
    for (auto& use : llvm::make_early_inc_range(alloca->uses())) {
      llvm::IRBuilder<> builder(placeFor(use));
      use.set(address(builder, body, offset, rounded));
    }
    alloca->eraseFromParent();
  }
}

Frame::Frame(llvm::Function& body, const std::vector<Cut>& cuts) {
  placeAllocas(body);
  rematerialise(body, cuts);
  const auto& layout = body.getParent()->getDataLayout();
  Liveness liveness(body);
  std::map<llvm::Instruction*, size_t> index;
  for (auto& cut : cuts) {
    auto& live = liveAt_.emplace_back();
    for (auto* value : liveness.liveIn(cut.after)) {
      auto [entry, isNew] = index.try_emplace(value, index.size());
      live.push_back(entry->second);
    }
  }
  slots_.resize(index.size());
  for (auto& [value, number] : index) {
    auto* type = value->getType();
    uint64_t offset = place(layout.getTypeAllocSize(type), layout.getABITypeAlign(type).value());
    slots_[number] = {llvm::DemoteRegToStack(*value, false, body.getEntryBlock().begin()), offset};
  }
}

void Frame::enter(llvm::IRBuilder<>& builder, llvm::Function& clone, llvm::ValueToValueMapTy& map, size_t cut) const {
  const auto& layout = clone.getParent()->getDataLayout();
  for (size_t index : liveAt_[cut]) {
    auto* alloca = llvm::cast<llvm::AllocaInst>(map[slots_[index].alloca]);
    auto* type = alloca->getAllocatedType();
    auto* value = builder.CreateLoad(type, address(builder, clone, slots_[index].offset, layout.getTypeAllocSize(type)));
    builder.CreateStore(value, alloca);
  }
}

void Frame::leave(llvm::IRBuilder<>& builder, llvm::Function& clone, llvm::ValueToValueMapTy& map, size_t cut) const {
  const auto& layout = clone.getParent()->getDataLayout();
  for (size_t index : liveAt_[cut]) {
    auto* alloca = llvm::cast<llvm::AllocaInst>(map[slots_[index].alloca]);
    auto* type = alloca->getAllocatedType();
    auto* value = builder.CreateLoad(type, alloca);
    builder.CreateStore(value, address(builder, clone, slots_[index].offset, layout.getTypeAllocSize(type)));
  }
}

void Frame::promote(llvm::Function& clone, llvm::ValueToValueMapTy& map) const {
  std::vector<llvm::AllocaInst*> allocas;
  for (auto& slot : slots_) allocas.push_back(llvm::cast<llvm::AllocaInst>(map[slot.alloca]));
  llvm::DominatorTree tree(clone);
  llvm::PromoteMemToReg(allocas, tree);
}

}  // namespace mneme::host::compiler
