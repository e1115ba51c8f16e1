// SPDX-License-Identifier: Apache-2.0
/// A warp operation without a mask is one of the lanes that are there: they are asked for first, then named.
#include "backend/host/compiler/substitutes.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>
#include <vector>

namespace mneme::host::compiler {
namespace {

llvm::Value* callIntrinsic(llvm::IRBuilder<>& builder, const std::string& name, const std::vector<llvm::Value*>& operands) {
  auto& module = *builder.GetInsertBlock()->getModule();
  auto* callee = llvm::Intrinsic::getOrInsertDeclaration(&module, llvm::Intrinsic::lookupIntrinsicID(name));
  return builder.CreateCall(callee, operands);
}

/// `shfl.down.i32` as `shfl.sync.down.i32`, `vote.any` as `vote.any.sync`; nothing for other names.
std::optional<std::string> withMask(llvm::StringRef name) {
  if (name.contains("sync")) return std::nullopt;
  if (name.consume_front("shfl.")) return "llvm.nvvm.shfl.sync." + name.str();
  if (name.starts_with("vote.")) return "llvm.nvvm." + name.str() + ".sync";
  return std::nullopt;
}

llvm::Value* nameTheLanes(llvm::IRBuilder<>& builder, const llvm::CallBase& call, const std::string& masked) {
  if (llvm::Intrinsic::lookupIntrinsicID(masked) == llvm::Intrinsic::not_intrinsic) return nullptr;
  std::vector<llvm::Value*> operands = {callIntrinsic(builder, "llvm.nvvm.activemask", {})};
  operands.insert(operands.end(), call.arg_begin(), call.arg_end());
  return callIntrinsic(builder, masked, operands);
}

/// The lowest lane of the mask, once all of it have come.
llvm::Value* elect(llvm::IRBuilder<>& builder, const llvm::CallBase& call) {
  auto* mask = call.getArgOperand(0);
  callIntrinsic(builder, "llvm.nvvm.bar.warp.sync", {mask});
  auto* leader = builder.CreateIntrinsic(llvm::Intrinsic::cttz, {builder.getInt32Ty()}, {mask, builder.getFalse()});
  auto* isLeader = builder.CreateICmpEQ(callIntrinsic(builder, "llvm.nvvm.read.ptx.sreg.laneid", {}), leader);
  auto* pair = builder.CreateInsertValue(llvm::PoisonValue::get(call.getType()), leader, 0);
  return builder.CreateInsertValue(pair, isLeader, 1);
}

/// `cp.async.ca.shared.global.16`, with `.s`: the third operand says how many bytes there are.
bool copy(llvm::IRBuilder<>& builder, const llvm::CallBase& call, llvm::StringRef name) {
  if (name == "commit.group" || name == "wait.group" || name == "wait.all") return true;
  const bool partial = name.consume_back(".s");
  uint64_t bytes = 0;
  if (!name.consume_front("ca.shared.global.") && !name.consume_front("cg.shared.global.")) return false;
  if (name.getAsInteger(10, bytes)) return false;
  copyToShared(builder, call.getArgOperand(0), call.getArgOperand(1), bytes, partial ? call.getArgOperand(2) : nullptr);
  return true;
}

/// True if the call can go.
bool substitute(llvm::CallInst& call) {
  auto* callee = call.getCalledFunction();
  auto name = callee ? callee->getName() : "";
  if (!name.consume_front("llvm.nvvm.")) return false;
  llvm::IRBuilder<> builder(&call);
  if (name.consume_front("cp.async.")) return copy(builder, call, name);
  llvm::Value* value = nullptr;
  if (name == "elect.sync") value = elect(builder, call);
  else if (auto masked = withMask(name)) value = nameTheLanes(builder, call, *masked);
  if (!value) return false;
  call.replaceAllUsesWith(value);
  return true;
}

}  // namespace

void copyToShared(llvm::IRBuilder<>& builder, llvm::Value* target, llvm::Value* source, uint64_t bytes, llvm::Value* given) {
  const llvm::MaybeAlign align(bytes);
  if (!given) {
    builder.CreateMemCpy(target, align, source, align, bytes);
    return;
  }
  auto* all = builder.getInt64(bytes);
  auto* count = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, builder.CreateZExtOrTrunc(given, builder.getInt64Ty()), all);
  builder.CreateMemSet(target, builder.getInt8(0), all, align);
  builder.CreateMemCpy(target, align, source, llvm::MaybeAlign(1), count);
}

void substituteIntrinsics(llvm::Module& module) {
  for (auto& function : module)
    for (auto& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && substitute(*call)) call->eraseFromParent();
}

}  // namespace mneme::host::compiler
