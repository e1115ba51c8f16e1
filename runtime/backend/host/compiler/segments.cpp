// SPDX-License-Identifier: Apache-2.0
/// Cuts the kernel's body at its synchronisation points (continuation-based synchronisation).
/// For each point the code from there on is cloned; values that live across points wait in the frame, one array each.
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "backend/host/compiler/frame.h"
#include "backend/host/compiler/points.h"
#include "backend/host/compiler/thread_loop.h"
#include "backend/host/compiler/waiting_loops.h"

namespace mneme::host::compiler {
namespace {

llvm::Value* exchangeSlot(llvm::IRBuilder<>& builder, llvm::Function& body) {
  auto* base = body.getArg(static_cast<unsigned>(Field::Exchange));
  auto* thread = builder.CreateZExt(body.getArg(static_cast<unsigned>(Field::Thread)), builder.getInt64Ty());
  auto* offset = builder.CreateMul(thread, builder.getInt64(sizeof(ExchangeSlot)));
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), base, offset);
}

/// The call ends its block; the block after it starts with the result.
Cut cutAt(llvm::CallBase* call, PointKind kind) {
  auto& body = *call->getFunction();
  auto* before = call->getParent();
  auto* after = before->splitBasicBlock(std::next(call->getIterator()));
  llvm::IRBuilder<> builder(call);
  if (needsExchange(kind)) storeOperands(builder, *call, kind, exchangeSlot(builder, body));
  builder.SetInsertPoint(after, after->getFirstInsertionPt());
  if (!call->use_empty()) {
    auto* result = loadResult(builder, call->getType(), kind, exchangeSlot(builder, body));
    call->replaceAllUsesWith(result);
  }
  call->eraseFromParent();
  return {before, after, kind};
}

std::vector<Cut> cutAll(llvm::Function& body) {
  std::vector<std::pair<llvm::CallBase*, PointKind>> calls;
  for (auto& instruction : llvm::instructions(body))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (auto kind = pointKind(*call)) calls.emplace_back(call, *kind);
  std::vector<Cut> cuts;
  for (auto& [call, kind] : calls) cuts.push_back(cutAt(call, kind));
  return cuts;
}

void removeLifetimes(llvm::Function& body) {
  for (auto& instruction : llvm::make_early_inc_range(llvm::instructions(body)))
    if (llvm::isa<llvm::LifetimeIntrinsic>(instruction)) instruction.eraseFromParent();
}

/// The body returns the segment where the thread goes on.
llvm::Function* returningState(llvm::Function* body) {
  auto& context = body->getContext();
  auto* state = llvm::Type::getInt32Ty(context);
  auto* type = llvm::FunctionType::get(state, body->getFunctionType()->params(), false);
  auto* result = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "mneme.threads", body->getParent());
  result->copyAttributesFrom(body);
  result->splice(result->begin(), body);
  for (unsigned i = 0; i < body->arg_size(); ++i) body->getArg(i)->replaceAllUsesWith(result->getArg(i));
  for (auto& block : *result)
    if (auto* leave = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) {
      llvm::ReturnInst::Create(context, llvm::ConstantInt::get(state, kThreadDone), leave->getIterator());
      leave->eraseFromParent();
    }
  body->eraseFromParent();
  return result;
}

/// A clone of the body that starts at one cut (or at the start) and returns at every other.
llvm::Function* cloneFrom(llvm::Function& body, const std::vector<Cut>& cuts, size_t segment, const Frame& frame) {
  llvm::ValueToValueMapTy map;
  auto* clone = llvm::CloneFunction(&body, map);
  clone->setName("mneme.part");
  clone->setLinkage(llvm::GlobalValue::InternalLinkage);
  auto* oldEntry = &clone->getEntryBlock();
  if (segment > 0) {
    auto* start = llvm::cast<llvm::BasicBlock>(map[cuts[segment - 1].after]);
    auto* entry = llvm::BasicBlock::Create(clone->getContext(), "resume", clone, oldEntry);
    for (auto& instruction : llvm::make_early_inc_range(*oldEntry))
      if (llvm::isa<llvm::AllocaInst>(instruction)) instruction.moveBefore(*entry, entry->end());
    llvm::IRBuilder<> builder(entry);
    frame.enter(builder, *clone, map, segment - 1);
    builder.CreateBr(start);
  }
  for (size_t i = 0; i < cuts.size(); ++i) {
    auto* terminator = llvm::cast<llvm::BasicBlock>(map[cuts[i].before])->getTerminator();
    llvm::IRBuilder<> builder(terminator);
    frame.leave(builder, *clone, map, i);
    builder.CreateRet(builder.getInt32(static_cast<uint32_t>(i + 1)));
    terminator->eraseFromParent();
  }
  llvm::removeUnreachableBlocks(*clone);
  frame.promote(*clone, map);
  return clone;
}

/// Memory whose size is known only at run time has no place in the frame.
bool hasDynamicAlloca(llvm::Function& body) {
  for (auto& instruction : llvm::instructions(body))
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction); alloca && !alloca->isStaticAlloca()) return true;
  return false;
}

}  // namespace

Expected<void> buildSegments(Unit& unit) {
  if (!unit.kernel) return {};
  removeLifetimes(*unit.kernel);
  llvm::removeUnreachableBlocks(*unit.kernel);
  if (auto marked = markWaitingLoops(unit); !marked) return marked;
  auto cuts = cutAll(*unit.kernel);
  if (cuts.empty()) {
    unit.segments.push_back(makeThreadLoop(unit, *unit.kernel, "mneme.segment.0"));
    return {};
  }
  if (hasDynamicAlloca(*unit.kernel)) return unsupported(unit, "an array of variable size together with synchronisation");
  auto* body = unit.kernel = returningState(unit.kernel);
  for (auto& cut : cuts) unit.points.push_back({cut.kind});
  Frame frame(*body, cuts);
  for (size_t segment = 0; segment <= cuts.size(); ++segment) {
    auto* part = cloneFrom(*body, cuts, segment, frame);
    unit.segments.push_back(makeThreadLoop(unit, *part, "mneme.segment." + std::to_string(segment)));
  }
  unit.frameBytes = frame.bytes();
  body->eraseFromParent();
  unit.kernel = nullptr;
  return {};
}

}  // namespace mneme::host::compiler
