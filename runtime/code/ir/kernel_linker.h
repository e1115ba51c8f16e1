// SPDX-License-Identifier: Apache-2.0
/// One kernel out of an archive of modules: the module that defines it, and what it misses pulled from the others.
/// Only what the kernel reaches is read. Afterwards functions are internal, mutable variables external, externally
/// initialised and uniquely named: nothing may assume their values.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "code/generate.h"

namespace mneme::code {

struct LinkedKernel {
  std::unique_ptr<llvm::Module> module;
  llvm::Function* kernel = nullptr;
  std::vector<std::string> remarks;
};

[[nodiscard]] Expected<LinkedKernel> linkKernel(llvm::LLVMContext& context, std::span<const BitcodeModule> archive,
                                                const std::string& kernel);

}  // namespace mneme::code
