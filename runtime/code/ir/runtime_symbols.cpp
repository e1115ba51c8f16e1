// SPDX-License-Identifier: Apache-2.0
#include "code/ir/runtime_symbols.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/NVPTXAddrSpace.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace mneme::code {
namespace {

/// Supplied by NVIDIA's driver at load; __nvvm_reflect is answered before anything runs.
constexpr std::array<std::string_view, 5> kSupplied = {"vprintf", "malloc", "free", "__assertfail", "__nvvm_reflect"};
constexpr std::array<const char*, 2> kTrapping = {"__cxa_pure_virtual", "__cxa_deleted_virtual"};

bool isSupplied(llvm::StringRef name) {
  return std::find(kSupplied.begin(), kSupplied.end(), std::string_view(name)) != kSupplied.end();
}

/// Dynamic shared memory is an external array, and an extern_weak symbol may stay undefined.
bool mayStayUndefined(const llvm::GlobalVariable& variable) {
  return variable.getAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_SHARED || variable.hasExternalWeakLinkage();
}

}  // namespace

std::vector<std::string> missingSymbols(const llvm::Module& module) {
  std::vector<std::string> missing;
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() && !isSupplied(function.getName()))
      missing.push_back(function.getName().str());
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty() && !mayStayUndefined(variable))
      missing.push_back(variable.getName().str());
  return missing;
}

void defineRuntimeStubs(llvm::Module& module) {
  for (const char* name : kTrapping) {
    llvm::Function* function = module.getFunction(name);
    if (!function || !function->isDeclaration()) continue;
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    builder.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&module, llvm::Intrinsic::trap));
    builder.CreateUnreachable();
  }
}

}  // namespace mneme::code
