// SPDX-License-Identifier: Apache-2.0
/// The last look before code generation: whatever still asks for a GPU is refused by name.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/points.h"

namespace mneme::host::compiler {
namespace {

std::optional<std::string> reasonAgainst(const llvm::CallBase& call) {
  auto* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return std::nullopt;
  auto name = callee->getName();
  if (!name.consume_front("llvm.nvvm.")) return std::nullopt;
  auto where = call.getFunction()->getName().str();
  if (pointKind(call)) return "the synchronisation " + name.str() + " in the function " + where + ", which is recursive or called through a pointer,";
  return "the instruction " + name.str();
}

}  // namespace

Expected<void> trapUnrunnable(Unit& unit) {
  if (!unit.kernelName.empty()) return {};
  for (auto& function : unit.module) {
    bool refused = false;
    for (auto& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      refused |= call && pointKind(*call).has_value();
    }
    if (!refused) continue;
    auto linkage = function.getLinkage();
    function.deleteBody();
    function.setLinkage(linkage);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(function.getContext(), "", &function));
    builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::trap, {});
    builder.CreateUnreachable();
  }
  return {};
}

Expected<void> refuseUnknown(Unit& unit) {
  for (auto& function : unit.module)
    for (auto& instruction : llvm::instructions(function)) {
      if (llvm::isa<llvm::InvokeInst, llvm::CallBrInst>(instruction)) return unsupported(unit, "exception handling");
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call) continue;
      if (auto reason = reasonAgainst(*call)) return unsupported(unit, *reason);
    }
  return {};
}

}  // namespace mneme::host::compiler
