// SPDX-License-Identifier: Apache-2.0
/// Takes scalar evolution's expressions apart.
#include "backend/host/compiler/lane_form.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/PatternMatch.h>

#include "backend/host/kernel_abi.h"

namespace mneme::host::compiler {
namespace {

bool isMultipleOfWarp(const llvm::SCEV* number) {
  auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(number);
  return constant && constant->getAPInt().isStrictlyPositive() && constant->getAPInt().urem(kWarpSize) == 0;
}

}  // namespace

LaneForms::LaneForms(llvm::Function& kernel, uint32_t mostThreads)
    : kernel_(kernel), mostThreads_(mostThreads), registers_(gatherThreadRegisters(kernel)), tree_(kernel), loops_(tree_),
      implementation_(kernel.getParent()->getTargetTriple()), library_(implementation_), assumptions_(kernel),
      evolution_(kernel, library_, assumptions_, tree_, loops_), divergence_(kernel, tree_, loops_) {}

LaneForm LaneForms::of(const llvm::SCEV* number) {
  auto* i32 = llvm::Type::getInt32Ty(kernel_.getContext());
  LaneForm form;
  split(evolution_.getTruncateOrSignExtend(number, i32), evolution_.getOne(i32), form);
  return form;
}

bool LaneForms::isX(const llvm::SCEV* number) const {
  auto* leaf = llvm::dyn_cast<llvm::SCEVUnknown>(number);
  return leaf && leaf->getValue() == registers_.thread[0];
}

/// Built of values that a warp's lanes share; the number of the warp itself is one.
bool LaneForms::sharedByWarp(const llvm::SCEV* number) const {
  if (auto* quotient = llvm::dyn_cast<llvm::SCEVUDivExpr>(number); quotient && onlyX() && isX(quotient->getLHS()))
    return isMultipleOfWarp(quotient->getRHS());
  if (auto* leaf = llvm::dyn_cast<llvm::SCEVUnknown>(number)) return divergence_.uniform(leaf->getValue());
  for (auto* part : number->operands())
    if (!sharedByWarp(part)) return false;
  return true;
}

void LaneForms::split(const llvm::SCEV* term, const llvm::SCEV* factor, LaneForm& form) {
  if (auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(term)) {
    for (auto* part : sum->operands()) split(part, factor, form);
  } else if (auto* round = llvm::dyn_cast<llvm::SCEVAddRecExpr>(term); round && round->isAffine() && !round->getStart()->isZero()) {
    split(round->getStart(), factor, form);
    auto* zero = evolution_.getZero(round->getType());
    addLeaf(evolution_.getAddRecExpr(zero, round->getStepRecurrence(evolution_), round->getLoop(), llvm::SCEV::FlagAnyWrap), factor, form);
  } else if (auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(term)) {
    splitProduct(*product, factor, form);
  } else {
    addLeaf(term, factor, form);
  }
}

/// A product with one factor that depends on the thread; the others count as its factor.
void LaneForms::splitProduct(const llvm::SCEVMulExpr& product, const llvm::SCEV* factor, LaneForm& form) {
  const llvm::SCEV* inner = nullptr;
  llvm::SmallVector<const llvm::SCEV*, 4> others = {factor};
  for (auto* part : product.operands()) {
    if (sharedByWarp(part)) others.push_back(part);
    else if (!inner) inner = part;
    else return addLeaf(&product, factor, form);
  }
  if (!inner) return addLeaf(&product, factor, form);
  split(inner, evolution_.getMulExpr(others), form);
}

void LaneForms::addLeaf(const llvm::SCEV* term, const llvm::SCEV* factor, LaneForm& form) {
  auto addPlace = [&](unsigned axis) { form.factor[axis] = form.factor[axis] ? evolution_.getAddExpr(form.factor[axis], factor) : factor; };
  if (auto* leaf = llvm::dyn_cast<llvm::SCEVUnknown>(term))
    for (unsigned axis = 0; axis < 3; ++axis)
      if (registers_.thread[axis] && leaf->getValue() == registers_.thread[axis]) return addPlace(axis);
  // The lane's number: x without the warp's share.
  auto* extended = llvm::dyn_cast<llvm::SCEVZeroExtendExpr>(term);
  auto* low = extended ? llvm::dyn_cast<llvm::SCEVTruncateExpr>(extended->getOperand()) : nullptr;
  if (low && onlyX() && isX(low->getOperand()) && low->getType()->getIntegerBitWidth() >= 5) {
    auto* size = evolution_.getConstant(llvm::APInt(32, uint64_t{1} << low->getType()->getIntegerBitWidth()));
    addPlace(0);
    auto* before = evolution_.getMulExpr(size, evolution_.getUDivExpr(low->getOperand(), size));
    form.uniform.push_back(evolution_.getNegativeSCEV(evolution_.getMulExpr(factor, before)));
    return;
  }
  auto* whole = evolution_.getMulExpr(factor, term);
  (sharedByWarp(whole) ? form.uniform : form.varying).push_back(whole);
}

Pins LaneForms::pinsAt(llvm::BasicBlock& block) {
  Pins pins{};
  for (auto* node = tree_.getNode(&block); node && node->getIDom(); node = node->getIDom()) {
    auto* above = node->getIDom()->getBlock();
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
    for (unsigned side : {0u, 1u})
      if (tree_.dominates(llvm::BasicBlockEdge(above, branch->getSuccessor(side)), &block)) pin(branch->getCondition(), side == 0, pins);
  }
  return pins;
}

void LaneForms::pin(llvm::Value* condition, bool holds, Pins& pins) {
  using namespace llvm::PatternMatch;
  llvm::Value *left = nullptr, *right = nullptr;
  if (match(condition, m_Not(m_Value(left)))) return pin(left, !holds, pins);
  if (holds ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right))) : match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
    pin(left, holds, pins);
    pin(right, holds, pins);
    return;
  }
  auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (comparison && comparison->getPredicate() == (holds ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE))
    pinEqual(comparison->getOperand(0), comparison->getOperand(1), pins);
}

void LaneForms::pinEqual(llvm::Value* left, llvm::Value* right, Pins& pins) {
  using namespace llvm::PatternMatch;
  llvm::Value *first = nullptr, *second = nullptr;
  if (!left->getType()->isIntegerTy()) return;
  if (match(right, m_Zero()) && match(left, m_Or(m_Value(first), m_Value(second)))) {
    pinEqual(first, right, pins);
    pinEqual(second, right, pins);
    return;
  }
  auto form = of(evolution_.getMinusSCEV(evolution_.getSCEV(left), evolution_.getSCEV(right)));
  if (!form.varying.empty()) return;
  auto* rest = evolution_.getZero(llvm::Type::getInt32Ty(kernel_.getContext()));
  for (auto* term : form.uniform) rest = evolution_.getAddExpr(rest, term);
  unsigned places = 0;
  bool rising = true;
  for (auto* factor : form.factor) {
    places += factor != nullptr;
    rising &= !factor || !evolution_.isKnownNegative(factor);
  }
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!form.factor[axis]) continue;
    if (rest->isZero() && rising) pins[axis] = rest;  // a thread's number in the block: all of its parts are 0
    else if (places == 1 && form.factor[axis]->isOne()) pins[axis] = evolution_.getNegativeSCEV(rest);
    else if (places == 1 && form.factor[axis]->isAllOnesValue()) pins[axis] = rest;
  }
}

}  // namespace mneme::host::compiler
