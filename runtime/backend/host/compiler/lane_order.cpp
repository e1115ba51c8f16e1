// SPDX-License-Identifier: Apache-2.0
/// The proof works on the difference of two addresses: a multiple of the distance of two lanes, plus what is left.
#include "backend/host/compiler/lane_order.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "backend/host/kernel_abi.h"

namespace mneme::host::compiler {
namespace {

constexpr unsigned kSharedSpace = 3;
constexpr uint64_t kMostRows = 8;  ///< of a block of more than one row in one warp
constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 4;

const llvm::GlobalVariable* sharedVariable(const llvm::Value* value) {
  auto* global = llvm::dyn_cast<llvm::GlobalVariable>(value->stripPointerCasts());
  return global && global->getAddressSpace() == kSharedSpace ? global : nullptr;
}

bool maybeShared(const llvm::Value* pointer) {
  auto inShared = [](const llvm::Value* value) { return value->getType()->getPointerAddressSpace() == kSharedSpace || sharedVariable(value); };
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  return inShared(pointer) || std::any_of(objects.begin(), objects.end(), inShared);
}

/// Fills object, offset and form from the pointer, as far as they are known.
void locate(SharedAccess& access, llvm::Value* pointer, LaneForms& forms) {
  auto& evolution = forms.evolution();
  access.pins = forms.pinsAt(*access.instruction->getParent());
  auto* whole = evolution.getSCEV(pointer);
  auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution.getPointerBase(whole));
  if (!base) return;
  const auto& layout = access.instruction->getModule()->getDataLayout();
  llvm::APInt inside(64, 0);
  auto* start = base->getValue()->stripAndAccumulateConstantOffsets(layout, inside, true);
  access.object = sharedVariable(start);
  if (!access.object) return;
  auto* offset = evolution.removePointerBase(whole);
  access.offset = evolution.getAddExpr(evolution.getTruncateOrSignExtend(offset, llvm::Type::getInt64Ty(start->getContext())),
                                       evolution.getConstant(inside));
  access.form = forms.of(access.offset);
}

int64_t widthOf(const llvm::MemIntrinsic& copy) {
  auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  return length ? static_cast<int64_t>(std::min<uint64_t>(length->getZExtValue(), kFar)) : kFar;
}

class Collector {
 public:
  Collector(LaneForms& forms, std::vector<SharedAccess>& found) : forms_(forms), found_(found) {}

  void look(llvm::Instruction& instruction) {
    const auto& layout = instruction.getModule()->getDataLayout();
    auto bytes = [&](llvm::Type* type) { return static_cast<int64_t>(layout.getTypeStoreSize(type).getFixedValue()); };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      add(instruction, load->getPointerOperand(), true, false, bytes(load->getType()));
    else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      add(instruction, store->getPointerOperand(), false, true, bytes(store->getValueOperand()->getType()));
    else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      add(instruction, update->getPointerOperand(), true, true, bytes(update->getType()));
    else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      add(instruction, swap->getPointerOperand(), true, true, bytes(swap->getNewValOperand()->getType()));
    else if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy)) add(instruction, transfer->getRawSource(), true, false, widthOf(*copy));
      add(instruction, copy->getRawDest(), false, true, widthOf(*copy));
    }
  }

 private:
  void add(llvm::Instruction& instruction, llvm::Value* pointer, bool reads, bool writes, int64_t width) {
    if (!maybeShared(pointer)) return;
    SharedAccess access;
    access.instruction = &instruction, access.reads = reads, access.writes = writes, access.atomic = reads && writes, access.width = width;
    locate(access, pointer, forms_);
    found_.push_back(std::move(access));
  }

  LaneForms& forms_;
  std::vector<SharedAccess>& found_;
};

struct Range {
  int64_t low = 0, high = 0;
  void add(const Range& other) {
    low = std::max(low + other.low, -kFar);
    high = std::min(high + other.high, kFar);
  }
  [[nodiscard]] Range negated() const { return {-high, -low}; }
};

/// Whether a term has one value at two places of the program.
class Between {
 public:
  Between(LaneForms& forms, const SharedAccess& first, const SharedAccess& second, const llvm::Loop* again)
      : loops_(forms.loops()), common_(loops_.getLoopFor(first.instruction->getParent())), again_(again) {
    while (common_ && !common_->contains(second.instruction)) common_ = common_->getParentLoop();
  }

  [[nodiscard]] bool fixed(const llvm::SCEV* term) const {
    return !llvm::SCEVExprContains(term, [this](const llvm::SCEV* part) { return changes(part); });
  }

 private:
  [[nodiscard]] bool changes(const llvm::SCEV* part) const {
    if (auto* rounds = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part)) return changesIn(rounds->getLoop());
    auto* leaf = llvm::dyn_cast<llvm::SCEVUnknown>(part);
    auto* instruction = leaf ? llvm::dyn_cast<llvm::Instruction>(leaf->getValue()) : nullptr;
    auto* loop = instruction ? loops_.getLoopFor(instruction->getParent()) : nullptr;
    return loop && changesIn(loop);
  }
  /// Both places are in one round of a loop that holds both, unless it or one around it has gone into another.
  [[nodiscard]] bool changesIn(const llvm::Loop* loop) const {
    return !common_ || !loop->contains(common_) || (again_ && again_->contains(loop));
  }

  llvm::LoopInfo& loops_;
  const llvm::Loop* common_;
  const llvm::Loop* again_;
};

/// The address of `first` in one lane minus that of `second` in another.
class Difference {
 public:
  Difference(LaneForms& forms, const SharedAccess& first, const SharedAccess& second, const Between& between)
      : forms_(forms), evolution_(forms.evolution()), first_(first), second_(second), between_(between),
        kept_(evolution_.getZero(llvm::Type::getInt32Ty(first.instruction->getContext()))) {
    for (unsigned axis = 0; axis < 3; ++axis) match(axis);
    addTerms(first.form, false);
    addTerms(second.form, true);
  }

  /// Proved that no lane meets what a lower one does later.
  bool neverMeets() {
    if (alone_.empty() && tellsLanesApart() && (onlyRounds() || apartByOrder() || apartByMultiples())) return true;
    return apartByRegion() || sameElement();
  }

 private:
  struct Loose {
    const llvm::SCEV* term;
    bool negative;
  };

  struct Alone {
    const llvm::SCEV* factor;
    unsigned axis;
    bool negative;
  };

  /// Brings both addresses to the same factor: where a place has one value only, any multiple of it is a constant.
  void match(unsigned axis) {
    auto *a = first_.form.factor[axis], *b = second_.form.factor[axis];
    factor_[axis] = a;
    if (a == b) return;
    if (auto* place = second_.pins[axis]) return add(evolution_.getMulExpr(minus(b, a), place), true);
    if (auto* place = first_.pins[axis]) {
      factor_[axis] = b;
      return add(evolution_.getMulExpr(minus(a, b), place), false);
    }
    factor_[axis] = nullptr;
    if (a) alone_.push_back({a, axis, false});
    if (b) alone_.push_back({b, axis, true});
  }

  const llvm::SCEV* minus(const llvm::SCEV* a, const llvm::SCEV* b) {
    auto* zero = evolution_.getZero(kept_->getType());
    return evolution_.getMinusSCEV(a ? a : zero, b ? b : zero);
  }

  void addTerms(const LaneForm& form, bool negative) {
    for (auto* term : form.varying) loose_.push_back({term, negative});
    for (auto* term : form.uniform) add(term, negative);
  }

  /// What both places know as one value cancels out.
  void add(const llvm::SCEV* term, bool negative) {
    if (!between_.fixed(term)) loose_.push_back({term, negative});
    else kept_ = negative ? evolution_.getMinusSCEV(kept_, term) : evolution_.getAddExpr(kept_, term);
  }

  /// Element by data that only this lane has: another lane's would be a race at any speed.
  bool sameElement() const {
    return first_.offset == second_.offset && !first_.form.varying.empty() && between_.fixed(first_.offset);
  }

  /// Lanes with different places have different addresses; places that the kernel never asks for do not count.
  bool tellsLanesApart() const {
    for (unsigned axis = 0; axis < 3; ++axis) {
      const bool pinned = first_.pins[axis] && second_.pins[axis] && first_.pins[axis] == second_.pins[axis];
      if (forms_.registers().thread[axis] && !factor_[axis] && !pinned) return false;
    }
    return true;
  }

  /// Nothing is left but strides of a whole block or a whole warp, which lead to no other lane's element.
  bool onlyRounds() {
    auto round = [this](const llvm::SCEV* term) { return term->isZero() || isRound(term); };
    auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(kept_);
    const bool kept = sum ? std::all_of(sum->operands().begin(), sum->operands().end(), round) : round(kept_);
    return kept && std::all_of(loose_.begin(), loose_.end(), [&](const Loose& loose) { return round(loose.term); });
  }

  bool isRound(const llvm::SCEV* term) {
    if (auto* rounds = llvm::dyn_cast<llvm::SCEVAddRecExpr>(term))
      return rounds->isAffine() && (rounds->getStart()->isZero() || isRound(rounds->getStart())) && isRound(rounds->getStepRecurrence(evolution_));
    auto* unit = llvm::dyn_cast_or_null<llvm::SCEVConstant>(factor_[0]);
    const auto multiple = evolution_.getConstantMultiple(term).getZExtValue();
    const bool alongX = !factor_[1] && !factor_[2];
    if (unit && alongX) {
      const auto size = unit->getAPInt().abs().getZExtValue();
      if (multiple % (size * kWarpSize) == 0) return true;
      return hasFactor(term, forms_.registers().blockDim[0]) && multiple % size == 0;
    }
    // Rows of a block side by side: a warp has a few of them.
    auto* row = llvm::dyn_cast_or_null<llvm::SCEVConstant>(factor_[1]);
    if (unit && row && !factor_[2] && multiple % (row->getAPInt().abs().getZExtValue() * kMostRows) == 0) return true;
    return unit && hasFactor(term, forms_.registers().blockDim[0]) && hasFactor(term, forms_.registers().blockDim[1]);
  }

  static bool hasFactor(const llvm::SCEV* term, const llvm::Value* value) {
    auto is = [value](const llvm::SCEV* part) {
      auto* leaf = llvm::dyn_cast<llvm::SCEVUnknown>(part);
      return value && leaf && leaf->getValue() == value;
    };
    auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(term);
    return is(term) || (product && std::any_of(product->operands().begin(), product->operands().end(), is));
  }

  Range rangeOf(const llvm::SCEV* term, const SharedAccess& at) {
    const auto range = evolution_.getSignedRange(term);
    const auto low = range.getSignedMin().getSExtValue();
    return {low < 0 && knownNotNegative(term, *at.instruction) ? 0 : low, range.getSignedMax().getSExtValue()};
  }

  /// What a lane at least one higher, at most one warp higher, adds.
  bool laneRange(Range& range) const {
    int64_t least = 0;
    unsigned places = 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (!factor_[axis]) continue;
      auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(factor_[axis]);
      if (!constant && places == 0) return false;
      const int64_t value = constant ? constant->getAPInt().getSExtValue() : kFar;
      if (places++ == 0) least = value;
      else if (least <= 0 || value < least) return false;  // a higher lane is not further up
    }
    if (places == 0) return false;
    const int64_t most = places > 1 ? kFar : least * (int64_t{kWarpSize} - 1);
    range = {std::min(least, most), std::max(least, most)};
    return true;
  }

  [[nodiscard]] bool apart(const Range& range) const { return range.low >= second_.width || range.high <= -first_.width; }

  Range restRange() {
    Range range = rangeOf(kept_, second_);
    for (auto& loose : loose_) range.add(loose.negative ? rangeOf(loose.term, second_).negated() : rangeOf(loose.term, first_));
    return range;
  }

  /// The higher lane lies further up, and the rest cannot bring it back.
  bool apartByOrder() {
    Range lanes;
    if (!laneRange(lanes)) return false;
    lanes.add(restRange());
    return apart(lanes);
  }

  /// However lanes are chosen, one address lies below the other's region.
  bool apartByRegion() {
    Range range = restRange();
    const int64_t most = forms_.mostThreads() - 1;
    for (auto& alone : alone_) {
      auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(alone.factor);
      if (!constant) return false;
      const int64_t factor = constant->getAPInt().getSExtValue() * (alone.negative ? -1 : 1);
      range.add({std::min<int64_t>(0, factor * most), std::max<int64_t>(0, factor * most)});
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (!factor_[axis]) continue;
      auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(factor_[axis]);
      if (!constant) return false;
      const bool outermost = forms_.registers().outermost() == axis;
      const int64_t factor = constant->getAPInt().getSExtValue(), low = outermost ? 0 : -most, high = outermost ? kWarpSize - 1 : most;
      range.add({std::min(factor * low, factor * high), std::max(factor * low, factor * high)});
    }
    return apart(range);
  }

  /// Addresses do not wrap: a sum of what is not negative is none, nor is a multiple.
  bool knownNotNegative(const llvm::SCEV* term, const llvm::Instruction& at) {
    if (auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(term))
      return std::all_of(sum->operands().begin(), sum->operands().end(), [&](auto* part) { return knownNotNegative(part, at); });
    const auto [times, rest] = withoutConstant(term);
    return times > 0 && evolution_.isKnownPredicateAt(llvm::CmpInst::ICMP_SGE, rest, evolution_.getZero(rest->getType()), &at);
  }

  std::pair<int64_t, const llvm::SCEV*> withoutConstant(const llvm::SCEV* term) {
    auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(term);
    auto* constant = product ? llvm::dyn_cast<llvm::SCEVConstant>(product->getOperand(0)) : nullptr;
    if (!constant) return {1, term};
    llvm::SmallVector<const llvm::SCEV*, 4> others(product->operands().drop_front());
    return {constant->getAPInt().getSExtValue(), evolution_.getMulExpr(others)};
  }

  /// Lanes a multiple of something unknown apart, and the rest another multiple of it: whole numbers decide.
  bool apartByMultiples() {
    if (!factor_[0] || factor_[1] || factor_[2] || !loose_.empty()) return false;
    const auto [lane, unit] = withoutConstant(factor_[0]);
    const auto [rest, same] = withoutConstant(kept_);
    if (unit != same || llvm::isa<llvm::SCEVConstant>(unit)) return false;
    for (int64_t distance = 1; distance < kWarpSize; ++distance)
      if (std::abs(lane * distance + rest) < std::max(first_.width, second_.width)) return false;
    return true;
  }

  LaneForms& forms_;
  llvm::ScalarEvolution& evolution_;
  const SharedAccess &first_, &second_;
  const Between& between_;
  std::array<const llvm::SCEV*, 3> factor_{};
  const llvm::SCEV* kept_;
  std::vector<Loose> loose_;
  std::vector<Alone> alone_;  ///< places with a factor in one of both only
};

bool isFirstLane(LaneForms& forms, const SharedAccess& access) {
  const auto& thread = forms.registers().thread;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (thread[axis] && !(access.pins[axis] && access.pins[axis]->isZero())) return false;
  return thread[0] || thread[1] || thread[2];
}

bool sameThread(LaneForms& forms, const SharedAccess& first, const SharedAccess& second, const Between& between) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!forms.registers().thread[axis]) continue;
    if (!first.pins[axis] || first.pins[axis] != second.pins[axis] || !between.fixed(first.pins[axis])) return false;
  }
  return true;
}

/// Two variables of known size never overlap; those of size 0 are all the launch's dynamic memory.
bool differentVariables(const SharedAccess& first, const SharedAccess& second) {
  if (!first.object || !second.object || first.object == second.object) return false;
  const auto& layout = first.instruction->getModule()->getDataLayout();
  auto sized = [&](const llvm::Value* object) {
    return layout.getTypeAllocSize(llvm::cast<llvm::GlobalVariable>(object)->getValueType()) != 0;
  };
  return sized(first.object) || sized(second.object);
}

}  // namespace

std::vector<SharedAccess> sharedAccesses(llvm::Function& kernel, LaneForms& forms) {
  std::vector<SharedAccess> found;
  Collector collector(forms, found);
  for (auto& block : kernel)
    for (auto& instruction : block) collector.look(instruction);
  return found;
}

bool orderHolds(LaneForms& forms, const SharedAccess& first, const SharedAccess& second, const llvm::Loop* again) {
  if (differentVariables(first, second)) return true;
  const Between between(forms, first, second, again);
  if (isFirstLane(forms, first) || sameThread(forms, first, second, between)) return true;
  if (!first.offset || !second.offset || first.object != second.object) return false;
  return Difference(forms, first, second, between).neverMeets();
}

}  // namespace mneme::host::compiler
