// SPDX-License-Identifier: Apache-2.0
/// Reads modules lazily: only the module's tables, no function body.
#include "code/bitcode.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "code/ir/module_loader.h"

namespace mneme::code {

Expected<std::vector<std::string>> kernelNames(std::span<const std::byte> bitcode) {
  llvm::LLVMContext context;
  auto module = loadModule(context, {bitcode, "the bitcode"});
  if (!module) return std::move(module).error();
  std::vector<std::string> names;
  for (const llvm::Function& function : **module)
    if (isKernel(function)) names.push_back(function.getName().str());
  return names;
}

}  // namespace mneme::code
