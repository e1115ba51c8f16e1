// SPDX-License-Identifier: Apache-2.0
/// Which functions and variables a compilation is about: one kernel and what it reaches, or the variables alone.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include <algorithm>
#include <set>

#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/passes.h"

namespace mneme::host::compiler {
namespace {

std::set<llvm::Function*> annotatedKernels(llvm::Module& module) {
  std::set<llvm::Function*> kernels;
  auto* annotations = module.getNamedMetadata("nvvm.annotations");
  if (!annotations) return kernels;
  for (auto* node : annotations->operands()) {
    if (node->getNumOperands() < 3 || !node->getOperand(0)) continue;
    auto* value = llvm::dyn_cast<llvm::ValueAsMetadata>(node->getOperand(0));
    auto* kind = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(1));
    auto* function = value ? llvm::dyn_cast<llvm::Function>(value->getValue()) : nullptr;
    if (function && kind && kind->getString() == "kernel") kernels.insert(function);
  }
  return kernels;
}

uint32_t launchBound(const llvm::Function& kernel) {
  auto attribute = kernel.getFnAttribute("nvvm.maxntid");
  if (!attribute.isStringAttribute()) return 0;
  uint64_t product = 1;
  llvm::SmallVector<llvm::StringRef, 3> parts;
  attribute.getValueAsString().split(parts, ',');
  for (auto part : parts) {
    uint64_t extent = 0;
    if (part.trim().getAsInteger(10, extent) || extent == 0 || extent > 1024) return 0;
    product *= extent;
  }
  return product > 1024 ? 0 : static_cast<uint32_t>(product);
}

uint32_t architectureOf(const llvm::Function& function) {
  auto digits = function.getFnAttribute("target-cpu").getValueAsString();
  unsigned number = 0;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, number)) return 900;
  return number * 10;
}

/// Device attributes mean nothing here, and some (noinline, optnone, no builtin) would stand in the way.
void resetAttributes(llvm::Function& function) {
  for (const char* name : {"target-cpu", "target-features", "frame-pointer", "tune-cpu", "probe-stack", "no-builtins"})
    function.removeFnAttr(name);
  for (auto kind : {llvm::Attribute::NoInline, llvm::Attribute::OptimizeNone, llvm::Attribute::AlwaysInline,
                    llvm::Attribute::StackProtect, llvm::Attribute::StackProtectStrong,
                    llvm::Attribute::StackProtectReq, llvm::Attribute::SanitizeAddress, llvm::Attribute::Naked})
    function.removeFnAttr(kind);
  function.setCallingConv(llvm::CallingConv::C);
  function.setComdat(nullptr);
  function.setSection("");
}

void removeUsedLists(llvm::Module& module) {
  for (const char* name : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"})
    if (auto* list = module.getNamedGlobal(name)) list->eraseFromParent();
}

void resetCallSites(llvm::Module& module) {
  for (auto& function : module)
    for (auto& block : function)
      for (auto& instruction : block)
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
          call->setCallingConv(llvm::CallingConv::C);
          call->removeFnAttr(llvm::Attribute::NoInline);
        }
}

}  // namespace

Expected<void> selectKernel(Unit& unit) {
  auto kernels = annotatedKernels(unit.module);
  for (auto& function : unit.module)
    if (!function.isDeclaration() && function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      kernels.insert(&function);
  for (auto* function : kernels) {
    unit.kernelNames.push_back(function->getName().str());
    if (function->getName() == unit.kernelName && !function->isDeclaration()) unit.kernel = function;
  }
  std::sort(unit.kernelNames.begin(), unit.kernelNames.end());
  if (!unit.kernelName.empty() && !unit.kernel)
    return Error(ErrorCode::NotFound, "the module has no kernel " + unit.kernelName);
  if (unit.kernel) {
    unit.maxThreads = launchBound(*unit.kernel);
    unit.architecture = architectureOf(*unit.kernel);
  }
  removeUsedLists(unit.module);
  for (auto& function : unit.module) {
    if (function.isIntrinsic()) continue;
    resetAttributes(function);
    if (!function.isDeclaration())
      function.setLinkage(&function == unit.kernel ? llvm::GlobalValue::ExternalLinkage
                                                   : llvm::GlobalValue::InternalLinkage);
  }
  resetCallSites(unit.module);
  if (auto* annotations = unit.module.getNamedMetadata("nvvm.annotations")) annotations->eraseFromParent();
  return {};
}

Error unsupported(const Unit& unit, const std::string& what) {
  std::string subject = unit.kernelName.empty() ? "the module's variables" : "kernel " + unit.kernelName;
  return Error(ErrorCode::Unsupported, subject + ": " + what + " is not supported on the host device");
}

llvm::GlobalVariable* importSlot(Unit& unit, const std::string& name) {
  for (auto& import : unit.imports)
    if (import.name == name) return import.slot;
  auto* pointer = llvm::PointerType::get(unit.module.getContext(), 0);
  auto* slot = new llvm::GlobalVariable(unit.module, pointer, false, llvm::GlobalValue::InternalLinkage,
                                        llvm::ConstantPointerNull::get(pointer), "mneme.import." + name);
  unit.imports.push_back({name, slot});
  return slot;
}

}  // namespace mneme::host::compiler
