// SPDX-License-Identifier: Apache-2.0
/// Volatile accesses: loads may follow each other; between a load and a store, or a store and anything, the lanes meet.
/// Others: where a lane's access could run before a lower lane's earlier one, without a meeting in between, the lanes meet.
#include "backend/host/compiler/lock_step.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "backend/host/compiler/lane_order.h"
#include "backend/host/compiler/points.h"

namespace mneme::host::compiler {
namespace {

constexpr unsigned kSharedSpace = 3;
constexpr unsigned kMostProofs = 100000;  ///< a kernel with more pairs than that goes in step wherever it might have to

bool isShared(const llvm::Value* pointer) {
  auto* object = llvm::getUnderlyingObject(pointer, 0);
  return pointer->getType()->getPointerAddressSpace() == kSharedSpace || object->getType()->getPointerAddressSpace() == kSharedSpace;
}

bool isVolatileShared(const llvm::Instruction& instruction) {
  if (!instruction.isVolatile()) return false;
  auto* pointer = llvm::getLoadStorePointerOperand(&instruction);
  return pointer && isShared(pointer);
}

llvm::CallInst* meetBefore(llvm::Instruction* place) {
  auto& module = *place->getModule();
  auto meet = module.getOrInsertFunction(kLockStepName, llvm::Type::getVoidTy(module.getContext()));
  return llvm::CallInst::Create(meet, "", place->getIterator());
}

void orderVolatile(llvm::Function& kernel) {
  std::vector<llvm::Instruction*> places;
  for (auto& block : kernel) {
    bool onlyLoads = false;  // since the last meeting in this block
    for (auto& instruction : block) {
      if (!isVolatileShared(instruction)) continue;
      const bool load = llvm::isa<llvm::LoadInst>(instruction);
      if (!load || !onlyLoads) places.push_back(&instruction);
      onlyLoads = load;
    }
  }
  for (auto* place : places) meetBefore(place);
}

bool usesShared(llvm::Function& kernel) {
  for (auto& global : kernel.getParent()->globals())
    if (global.getAddressSpace() == kSharedSpace && !global.use_empty()) return true;
  return false;
}

class LaneOrder {
 public:
  LaneOrder(llvm::Function& kernel, uint32_t mostThreads) : forms_(kernel, mostThreads), accesses_(sharedAccesses(kernel, forms_)) {
    std::multimap<llvm::Instruction*, size_t> byInstruction;
    for (size_t i = 0; i < accesses_.size(); ++i) byInstruction.emplace(accesses_[i].instruction, i);
    for (auto& block : kernel)
      for (auto& instruction : block) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call && pointKind(*call)) events_[&block].push_back({&instruction, kMeeting});
        auto [first, last] = byInstruction.equal_range(&instruction);
        for (; first != last; ++first) events_[&block].push_back({&instruction, first->second});
      }
  }

  void keep() {
    for (size_t first = 0; first < accesses_.size(); ++first)
      while (meetAfter(first)) {}
  }

 private:
  static constexpr size_t kMeeting = ~size_t{0};
  struct Event {
    llvm::Instruction* instruction;
    size_t access;  ///< or kMeeting
  };
  struct Place {
    llvm::BasicBlock* block;
    const llvm::Loop* again;  ///< the outermost loop around the first access that has gone into another round
    bool operator<(const Place& other) const { return std::tie(block, again) < std::tie(other.block, other.again); }
  };

  /// Adds a meeting if something after this access needs one.
  bool meetAfter(size_t first) {
    std::set<Place> seen;
    std::vector<Place> left;
    auto* start = accesses_[first].instruction->getParent();
    if (auto met = scan(first, {start, nullptr}, true); met != Scan::Open) return met == Scan::Changed;
    follow(start, nullptr, start, seen, left);
    while (!left.empty()) {
      const auto place = left.back();
      left.pop_back();
      const auto met = scan(first, place, false);
      if (met == Scan::Changed) return true;
      if (met == Scan::Open) follow(place.block, place.again, start, seen, left);
    }
    return false;
  }

  enum class Scan { Open, Met, Changed };

  Scan scan(size_t first, const Place& place, bool behind) {
    for (auto& event : events_[place.block]) {
      if (behind) {
        behind = event.access != first;
        continue;
      }
      if (event.access == kMeeting) return Scan::Met;
      if (holds(first, event.access, place.again)) continue;
      insert(accesses_[first], accesses_[event.access]);
      return Scan::Changed;
    }
    return Scan::Open;
  }

  void follow(llvm::BasicBlock* block, const llvm::Loop* again, llvm::BasicBlock* start, std::set<Place>& seen, std::vector<Place>& left) {
    for (auto* next : llvm::successors(block)) {
      auto* loop = forms_.loops().getLoopFor(next);
      const bool round = loop && loop->getHeader() == next && loop->contains(block) && loop->contains(start);
      auto* outermost = round && (!again || loop->contains(again)) ? loop : again;
      if (Place place{next, outermost}; seen.insert(place).second) left.push_back(place);
    }
  }

  bool holds(size_t first, size_t second, const llvm::Loop* again) {
    const auto &a = accesses_[first], &b = accesses_[second];
    if (!(a.writes && b.reads) && !(a.reads && b.writes)) return true;
    if (a.atomic && b.atomic) return true;
    auto [known, isNew] = proofs_.try_emplace({first, second, again}, false);
    if (isNew) known->second = proofs_.size() < kMostProofs && orderHolds(forms_, a, b, again);
    return known->second;
  }

  static bool meets(const llvm::Instruction* instruction) {
    auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(instruction);
    return call && pointKind(*call);
  }

  /// Before the second access, or before the loops around it that do not hold the first.
  void insert(const SharedAccess& first, const SharedAccess& second) {
    llvm::Instruction* place = second.instruction;
    auto* loop = forms_.loops().getLoopFor(place->getParent());
    for (; loop && !loop->contains(first.instruction); loop = loop->getParentLoop())
      if (auto* before = loop->getLoopPredecessor(); before && !meets(before->getTerminator()->getPrevNode())) place = before->getTerminator();
    auto* meeting = meetBefore(place);
    auto& events = events_[place->getParent()];
    auto at = std::find_if(events.begin(), events.end(), [&](const Event& event) { return event.instruction == place; });
    events.insert(at, {meeting, kMeeting});
  }

  LaneForms forms_;
  std::vector<SharedAccess> accesses_;
  std::map<llvm::BasicBlock*, std::vector<Event>> events_;
  std::map<std::tuple<size_t, size_t, const llvm::Loop*>, bool> proofs_;
};

}  // namespace

Expected<void> keepInStep(Unit& unit) {
  if (!unit.kernel) return {};
  orderVolatile(*unit.kernel);
  if (usesShared(*unit.kernel)) LaneOrder(*unit.kernel, unit.maxThreads ? unit.maxThreads : 1024).keep();
  return {};
}

}  // namespace mneme::host::compiler
