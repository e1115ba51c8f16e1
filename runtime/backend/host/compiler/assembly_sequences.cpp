// SPDX-License-Identifier: Apache-2.0
/// The sequences that CUB and cooperative groups are made of.
#include "backend/host/compiler/assembly_sequences.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <string>

namespace mneme::host::compiler {
namespace {

std::string withoutBlanks(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    if (!isspace(static_cast<unsigned char>(c))) result += c;
  return result;
}

llvm::Function* intrinsic(llvm::CallInst& call, const char* name) {
  return llvm::Intrinsic::getOrInsertDeclaration(call.getModule(), llvm::Intrinsic::lookupIntrinsicID(name));
}

/// CUB's scan step: shuffle up, and add where the source lane exists.
llvm::Value* shuffleUpAndAdd(llvm::IRBuilder<>& builder, llvm::CallInst& call, const std::string& type) {
  const std::string text = "{.reg." + type + "r0;.reg.predp;shfl.sync.up.b32r0|p,$1,$2,$3,$5;@padd." + type +
                           "r0,r0,$4;mov." + type + "$0,r0;}";
  const bool floating = type == "f32";
  if (withoutBlanks(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString()) != text || call.arg_size() != 5)
    return nullptr;
  auto* value = builder.CreateBitCast(call.getArgOperand(0), builder.getInt32Ty());
  auto* pair = builder.CreateCall(intrinsic(call, "llvm.nvvm.shfl.sync.up.i32p"),
                                  {call.getArgOperand(4), value, call.getArgOperand(1), call.getArgOperand(2)});
  auto* moved = builder.CreateBitCast(builder.CreateExtractValue(pair, 0), call.getType());
  auto* sum = floating ? builder.CreateFAdd(moved, call.getArgOperand(3)) : builder.CreateAdd(moved, call.getArgOperand(3));
  return builder.CreateSelect(builder.CreateExtractValue(pair, 1), sum, moved);
}

/// CUB's match: which lanes agree with this one in one bit.
llvm::Value* bitBallot(llvm::IRBuilder<>& builder, llvm::CallInst& call, const std::string& text) {
  if (text != "{.reg.predp;and.b32$0,$1,$2;setp.eq.u32p,$0,$2;vote.ballot.sync.b32$0,p,0xffffffff;@!pnot.b32$0,$0;}" ||
      call.arg_size() != 2)
    return nullptr;
  auto* bit = call.getArgOperand(1);
  auto* set = builder.CreateICmpEQ(builder.CreateAnd(call.getArgOperand(0), bit), bit);
  auto* ballot = builder.CreateCall(intrinsic(call, "llvm.nvvm.vote.ballot.sync"), {builder.getInt32(~0u), set});
  return builder.CreateSelect(set, ballot, builder.CreateNot(ballot));
}

}  // namespace

llvm::Value* lowerSequence(llvm::IRBuilder<>& builder, llvm::CallInst& call, llvm::StringRef text) {
  for (const char* type : {"s32", "u32", "f32"})
    if (auto* value = shuffleUpAndAdd(builder, call, type)) return value;
  return bitBallot(builder, call, withoutBlanks(text));
}

}  // namespace mneme::host::compiler
