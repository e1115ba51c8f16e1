// SPDX-License-Identifier: Apache-2.0
#include "code/ir/numerics.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>

#include <cstdint>
#include <vector>

namespace mneme::code {
namespace {

/// The string that a call of __nvvm_reflect asks for; empty if it is not a constant.
llvm::StringRef question(const llvm::CallInst& call) {
  if (call.arg_size() != 1) return {};
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  if (!variable || !variable->hasInitializer()) return {};
  const auto* text = llvm::dyn_cast<llvm::ConstantDataSequential>(variable->getInitializer());
  return text && text->isCString() ? text->getAsCString() : llvm::StringRef();
}

uint64_t answer(llvm::StringRef asked, const NumericFlags& flags, unsigned architecture) {
  if (asked == "__CUDA_FTZ") return flags.flushToZero;
  if (asked == "__CUDA_PREC_SQRT") return flags.preciseSqrt;
  if (asked == "__CUDA_PREC_DIV") return flags.preciseDivision;
  if (asked == "__CUDA_ARCH") return architecture * 10;
  return 0;
}

void answerReflect(llvm::Module& module, const NumericFlags& flags, unsigned architecture) {
  for (const char* name : {"__nvvm_reflect", "llvm.nvvm.reflect", "llvm.nvvm.reflect.p0"}) {
    llvm::Function* reflect = module.getFunction(name);
    if (!reflect) continue;
    for (llvm::User* user : llvm::make_early_inc_range(reflect->users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call) continue;
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), answer(question(*call), flags, architecture)));
      call->eraseFromParent();
    }
    if (reflect->use_empty()) reflect->eraseFromParent();
  }
}

void applyContraction(llvm::Instruction& instruction, bool fuse) {
  if (!llvm::isa<llvm::FPMathOperator>(instruction)) return;
  llvm::FastMathFlags flags = instruction.getFastMathFlags();
  flags.setAllowContract(fuse);
  instruction.copyFastMathFlags(flags);
}

bool isSinglePrecision(const llvm::Type* type) { return type->isFloatTy(); }

bool isOne(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  return constant && constant->isExactlyValue(1.0);
}

/// What nvcc makes of a/b without -prec-div: div.full, under -use_fast_math div.approx.
llvm::Value* approximateDivision(llvm::BinaryOperator& division, const NumericFlags& flags) {
  llvm::IRBuilder<> builder(&division);
  llvm::Value *a = division.getOperand(0), *b = division.getOperand(1);
  if (flags.fastMath)
    return builder.CreateIntrinsic(flags.flushToZero ? llvm::Intrinsic::nvvm_div_approx_ftz_f
                                                     : llvm::Intrinsic::nvvm_div_approx_f, {}, {a, b});
  return builder.CreateIntrinsic(flags.flushToZero ? llvm::Intrinsic::nvvm_div_full_ftz
                                                   : llvm::Intrinsic::nvvm_div_full, {}, {a, b});
}

llvm::Value* approximateSqrt(llvm::IntrinsicInst& call, const NumericFlags& flags) {
  return llvm::IRBuilder<>(&call).CreateIntrinsic(flags.flushToZero ? llvm::Intrinsic::nvvm_sqrt_approx_ftz_f
                                                                    : llvm::Intrinsic::nvvm_sqrt_approx_f, {},
                                                  {call.getArgOperand(0)});
}

/// The approximate instruction that this one becomes, or null.
llvm::Value* approximation(llvm::Instruction& instruction, const NumericFlags& flags) {
  if (!isSinglePrecision(instruction.getType())) return nullptr;
  auto* division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (division && division->getOpcode() == llvm::Instruction::FDiv && !flags.preciseDivision) {
    if (!isOne(division->getOperand(0))) return approximateDivision(*division, flags);
    division->setHasApproxFunc(true);  // becomes rcp.approx
    return nullptr;
  }
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call && call->getIntrinsicID() == llvm::Intrinsic::sqrt && !flags.preciseSqrt)
    return approximateSqrt(*call, flags);
  return nullptr;
}

void applyToFunction(llvm::Function& function, const NumericFlags& flags, bool nvidia) {
  if (flags.flushToZero) function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  else function.removeFnAttr("denormal-fp-math-f32");
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    applyContraction(instruction, flags.fuse);
    if (!nvidia) continue;
    if (llvm::Value* replacement = approximation(instruction, flags)) {
      instruction.replaceAllUsesWith(replacement);
      instruction.eraseFromParent();
    }
  }
}

}  // namespace

void applyNumerics(llvm::Module& module, const NumericFlags& flags, unsigned architecture) {
  const bool nvidia = module.getTargetTriple().isNVPTX();
  if (nvidia) answerReflect(module, flags, architecture);
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) applyToFunction(function, flags, nvidia);
}

}  // namespace mneme::code
