// SPDX-License-Identifier: Apache-2.0
/// Reads modules lazily: only the module's tables, no function body.
#include "code/bitcode.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

#include "code/ir/llvm_error.h"
#include "code/ir/module_loader.h"

namespace mneme::code {
namespace {

/// The identification reads "Debian clang version 22.1.8 (...)".
std::string compilerOf(const llvm::Module& module) {
  constexpr llvm::StringRef kBefore = "clang version ";
  const llvm::NamedMDNode* identification = module.getNamedMetadata("llvm.ident");
  if (identification && identification->getNumOperands() && identification->getOperand(0)->getNumOperands())
    if (const auto* text = llvm::dyn_cast<llvm::MDString>(identification->getOperand(0)->getOperand(0)))
      if (const size_t at = text->getString().find(kBefore); at != llvm::StringRef::npos)
        return "clang " + text->getString().substr(at + kBefore.size()).split(' ').first.str();
  return "clang";
}

}  // namespace

Expected<BitcodeContents> bitcodeContents(std::span<const std::byte> bitcode) {
  llvm::LLVMContext context;
  auto module = loadModule(context, {bitcode, "the bitcode"});
  if (!module) return std::move(module).error();
  if (llvm::Error failed = (*module)->materializeMetadata())
    return fromLlvm(std::move(failed), ErrorCode::CorruptRecording, "reading the bitcode");
  BitcodeContents contents{compilerOf(**module), {}};
  for (const llvm::Function& function : **module)
    if (isKernel(function)) contents.kernels.push_back(function.getName().str());
  return contents;
}

}  // namespace mneme::code
