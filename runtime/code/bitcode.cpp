// SPDX-License-Identifier: Apache-2.0
/// Reads modules lazily: only the module's tables, no function body.
#include "code/bitcode.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <set>

namespace mneme::code {
namespace {

/// Before LLVM 21 kernels of NVPTX were marked by metadata instead of a calling convention.
std::set<const llvm::Function*> annotatedKernels(const llvm::Module& module) {
  std::set<const llvm::Function*> kernels;
  const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
  if (!annotations) return kernels;
  for (const llvm::MDNode* node : annotations->operands()) {
    if (node->getNumOperands() < 2) continue;
    const auto* value = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node->getOperand(0));
    const auto* tag = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(1));
    if (value && tag && tag->getString() == "kernel")
      if (const auto* function = llvm::dyn_cast<llvm::Function>(value->getValue())) kernels.insert(function);
  }
  return kernels;
}

bool hasKernelConvention(const llvm::Function& function) {
  const auto convention = function.getCallingConv();
  return convention == llvm::CallingConv::PTX_Kernel || convention == llvm::CallingConv::AMDGPU_KERNEL;
}

}  // namespace

Expected<std::vector<std::string>> kernelNames(std::span<const std::byte> bitcode) {
  llvm::LLVMContext context;
  const llvm::MemoryBufferRef buffer({reinterpret_cast<const char*>(bitcode.data()), bitcode.size()}, "bitcode");
  auto module = llvm::getLazyBitcodeModule(buffer, context);
  if (!module) return Error(ErrorCode::InvalidArgument, "bitcode: " + llvm::toString(module.takeError()));
  if (llvm::Error failed = (*module)->materializeMetadata())
    return Error(ErrorCode::InvalidArgument, "bitcode: " + llvm::toString(std::move(failed)));
  const auto annotated = annotatedKernels(**module);
  std::vector<std::string> names;
  for (const llvm::Function& function : **module)
    if (!function.isDeclaration() && (hasKernelConvention(function) || annotated.count(&function)))
      names.push_back(function.getName().str());
  return names;
}

}  // namespace mneme::code
