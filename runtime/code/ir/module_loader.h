// SPDX-License-Identifier: Apache-2.0
/// Bitcode to modules, lazily: a module of thousands of functions costs what its symbol table costs.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

#include "base/error.h"
#include "code/generate.h"

namespace mneme::code {

/// Function bodies stay in `bitcode.bytes` until something materialises them. Kernels are marked by calling convention,
/// whatever clang wrote them. Bitcode newer than this LLVM is Unsupported and names both versions.
[[nodiscard]] Expected<std::unique_ptr<llvm::Module>> loadModule(llvm::LLVMContext& context,
                                                                 const BitcodeModule& bitcode);

[[nodiscard]] bool isKernel(const llvm::Function& function);

}  // namespace mneme::code
