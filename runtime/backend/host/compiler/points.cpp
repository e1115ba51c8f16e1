// SPDX-License-Identifier: Apache-2.0
/// The table of synchronisation points.
#include "backend/host/compiler/points.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>

#include <cstddef>
#include <unordered_map>

#include "backend/host/compiler/lock_step.h"
#include "backend/host/compiler/waiting_loops.h"

namespace mneme::host::compiler {
namespace {

const std::unordered_map<std::string, PointKind>& table() {
  using P = PointKind;
  static const std::unordered_map<std::string, P> points = {
      {"barrier0", P::BlockBarrier},
      {"barrier0.popc", P::BlockReducePopc}, {"barrier0.and", P::BlockReduceAnd}, {"barrier0.or", P::BlockReduceOr},
      {"barrier.cta.red.popc.all", P::BlockReducePopc}, {"barrier.cta.red.popc.aligned.all", P::BlockReducePopc},
      {"barrier.cta.red.and.all", P::BlockReduceAnd}, {"barrier.cta.red.and.aligned.all", P::BlockReduceAnd},
      {"barrier.cta.red.or.all", P::BlockReduceOr}, {"barrier.cta.red.or.aligned.all", P::BlockReduceOr},
      {"barrier.n", P::NamedBarrier}, {"barrier.sync", P::NamedBarrier},
      {"barrier", P::NamedBarrier}, {"barrier.sync.cnt", P::NamedBarrier},
      {"barrier.cta.sync.all", P::NamedBarrier}, {"barrier.cta.sync.aligned.all", P::NamedBarrier},
      {"barrier.cta.sync.count", P::NamedBarrier}, {"barrier.cta.sync.aligned.count", P::NamedBarrier},
      {"barrier.cta.arrive.count", P::NamedArrive}, {"barrier.cta.arrive.aligned.count", P::NamedArrive},
      {"bar.warp.sync", P::WarpSync}, {"activemask", P::ActiveMask},
      {"vote.all.sync", P::VoteAll}, {"vote.any.sync", P::VoteAny}, {"vote.uni.sync", P::VoteUni},
      {"vote.ballot.sync", P::VoteBallot},
      {"match.any.sync.i32", P::MatchAny}, {"match.any.sync.i64", P::MatchAny},
      {"match.all.sync.i32p", P::MatchAll}, {"match.all.sync.i64p", P::MatchAll},
      {"redux.sync.add", P::ReduxAdd}, {"redux.sync.min", P::ReduxMin}, {"redux.sync.max", P::ReduxMax},
      {"redux.sync.umin", P::ReduxUmin}, {"redux.sync.umax", P::ReduxUmax}, {"redux.sync.and", P::ReduxAnd},
      {"redux.sync.or", P::ReduxOr}, {"redux.sync.xor", P::ReduxXor},
      {"shfl.sync.idx.i32", P::ShuffleIdx}, {"shfl.sync.idx.f32", P::ShuffleIdx},
      {"shfl.sync.idx.i32p", P::ShuffleIdx}, {"shfl.sync.idx.f32p", P::ShuffleIdx},
      {"shfl.sync.up.i32", P::ShuffleUp}, {"shfl.sync.up.f32", P::ShuffleUp},
      {"shfl.sync.up.i32p", P::ShuffleUp}, {"shfl.sync.up.f32p", P::ShuffleUp},
      {"shfl.sync.down.i32", P::ShuffleDown}, {"shfl.sync.down.f32", P::ShuffleDown},
      {"shfl.sync.down.i32p", P::ShuffleDown}, {"shfl.sync.down.f32p", P::ShuffleDown},
      {"shfl.sync.bfly.i32", P::ShuffleXor}, {"shfl.sync.bfly.f32", P::ShuffleXor},
      {"shfl.sync.bfly.i32p", P::ShuffleXor}, {"shfl.sync.bfly.f32p", P::ShuffleXor},
  };
  return points;
}

bool isZero(const llvm::Value* value) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant && constant->isZero();
}

bool isShuffle(PointKind kind) { return kind >= PointKind::ShuffleIdx && kind <= PointKind::ShuffleXor; }
bool isRedux(PointKind kind) { return kind >= PointKind::ReduxAdd && kind <= PointKind::ReduxXor; }
bool isBlockReduce(PointKind kind) {
  return kind >= PointKind::BlockReduceAnd && kind <= PointKind::BlockReducePopc;
}

llvm::Value* slotField(llvm::IRBuilder<>& builder, llvm::Value* slot, size_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), slot, offset);
}

void put(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* slot, size_t offset, unsigned bits) {
  if (value->getType()->isFloatTy()) value = builder.CreateBitCast(value, builder.getInt32Ty());
  value = builder.CreateZExtOrTrunc(value, builder.getIntNTy(bits));
  builder.CreateStore(value, slotField(builder, slot, offset));
}

/// Number in the low half, thread count (0: all) in the high half.
llvm::Value* barrierOperand(llvm::IRBuilder<>& builder, const llvm::CallBase& call) {
  auto* number = builder.CreateAnd(call.getArgOperand(0), builder.getInt32(0xffff));
  if (call.arg_size() < 2) return number;
  return builder.CreateOr(number, builder.CreateShl(call.getArgOperand(1), builder.getInt32(16)));
}

}  // namespace

std::optional<PointKind> pointKind(const llvm::CallBase& call) {
  auto* callee = call.getCalledFunction();
  if (!callee) return std::nullopt;
  auto name = callee->getName();
  if (name == kYieldName) return PointKind::Yield;
  if (name == kLockStepName) return PointKind::LockStep;
  if (!name.consume_front("llvm.nvvm.")) return std::nullopt;
  auto found = table().find(name.str());
  if (found == table().end()) return std::nullopt;
  const bool plain = found->second == PointKind::NamedBarrier && call.arg_size() == 1;
  return plain && isZero(call.getArgOperand(0)) ? PointKind::BlockBarrier : found->second;
}

bool isWarpPoint(PointKind kind) { return kind >= PointKind::WarpSync && kind <= PointKind::LockStep; }
bool needsExchange(PointKind kind) {
  return isWarpPoint(kind) || isBlockReduce(kind) || kind == PointKind::NamedBarrier || kind == PointKind::NamedArrive;
}

void storeOperands(llvm::IRBuilder<>& builder, const llvm::CallBase& call, PointKind kind, llvm::Value* slot) {
  const size_t value = offsetof(ExchangeSlot, value), mask = offsetof(ExchangeSlot, mask);
  if (kind == PointKind::NamedBarrier || kind == PointKind::NamedArrive)
    return put(builder, barrierOperand(builder, call), slot, offsetof(ExchangeSlot, barrier), 32);
  if (isBlockReduce(kind)) {
    auto* predicate = call.getArgOperand(call.arg_size() - 1);
    return put(builder, builder.CreateIsNotNull(predicate), slot, value, 64);
  }
  if (!isWarpPoint(kind) || kind == PointKind::ActiveMask || kind == PointKind::LockStep) return;
  const bool maskLast = isRedux(kind);
  put(builder, call.getArgOperand(maskLast ? 1 : 0), slot, mask, 32);
  if (kind == PointKind::WarpSync) return;
  put(builder, call.getArgOperand(maskLast ? 0 : 1), slot, value, 64);
  if (!isShuffle(kind)) return;
  put(builder, call.getArgOperand(2), slot, offsetof(ExchangeSlot, lane), 32);
  put(builder, call.getArgOperand(3), slot, offsetof(ExchangeSlot, clamp), 32);
}

llvm::Value* loadResult(llvm::IRBuilder<>& builder, llvm::Type* type, PointKind, llvm::Value* slot) {
  if (type->isVoidTy()) return nullptr;
  auto* raw = builder.CreateLoad(builder.getInt64Ty(), slotField(builder, slot, offsetof(ExchangeSlot, result)));
  auto convert = [&](llvm::Type* wanted) -> llvm::Value* {
    if (wanted->isFloatTy()) return builder.CreateBitCast(builder.CreateTrunc(raw, builder.getInt32Ty()), wanted);
    if (wanted->isIntegerTy(1)) return builder.CreateTrunc(raw, wanted);
    return builder.CreateZExtOrTrunc(raw, wanted);
  };
  auto* pair = llvm::dyn_cast<llvm::StructType>(type);
  if (!pair) return convert(type);
  auto* predicate = builder.CreateTrunc(builder.CreateLShr(raw, 32), builder.getInt1Ty());
  llvm::Value* result = llvm::PoisonValue::get(pair);
  result = builder.CreateInsertValue(result, convert(pair->getElementType(0)), 0);
  return builder.CreateInsertValue(result, predicate, 1);
}

}  // namespace mneme::host::compiler
