// SPDX-License-Identifier: Apache-2.0
#include "code/ir/globals.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/Support/NVPTXAddrSpace.h>

#include <algorithm>

#include "code/ir/linkage.h"
#include "code/symbol_names.h"

namespace mneme::code {
namespace {

bool reachesFunction(const llvm::Constant* constant, llvm::SmallPtrSetImpl<const llvm::Constant*>& seen) {
  if (llvm::isa<llvm::Function>(constant)) return true;
  if (llvm::isa<llvm::GlobalValue>(constant) || !seen.insert(constant).second) return false;
  return std::any_of(constant->op_begin(), constant->op_end(), [&](const llvm::Use& use) {
    const auto* operand = llvm::dyn_cast<llvm::Constant>(use.get());
    return operand && reachesFunction(operand, seen);
  });
}

bool holdsCode(const llvm::GlobalVariable& variable) {
  llvm::SmallPtrSet<const llvm::Constant*, 16> seen;
  return variable.hasInitializer() && reachesFunction(variable.getInitializer(), seen);
}

Expected<CodeVariable*> findVariable(std::vector<CodeVariable>& variables, const std::string& wanted) {
  for (CodeVariable& variable : variables)
    if (variable.name == wanted || variable.original == wanted) return &variable;
  CodeVariable* found = nullptr;
  const std::string source = sourceName(wanted);
  for (CodeVariable& variable : variables) {
    if (sourceName(variable.original) != source) continue;
    if (found) return Error{ErrorCode::Unsupported, "two variables are called " + source + " in the kernel's code: " +
                                                        found->name + ", " + variable.name};
    found = &variable;
  }
  return found;
}

/// Global space, never constant space: there an absolute address reads garbage without a word.
void replaceByAddress(llvm::GlobalVariable& variable, uint64_t address) {
  auto* integer = llvm::ConstantInt::get(llvm::Type::getInt64Ty(variable.getContext()), address);
  variable.replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(integer, variable.getType()));
  variable.eraseFromParent();
}

}  // namespace

std::vector<CodeVariable> describeVariables(const llvm::Module& module) {
  std::vector<CodeVariable> variables;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (!isMutableVariable(variable) || variable.hasAppendingLinkage()) continue;
    CodeVariable described;
    described.name = variable.getName().str();
    described.original = originalName(variable);
    described.size = module.getDataLayout().getTypeAllocSize(variable.getValueType());
    described.constant = variable.getAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_CONST;
    described.holdsCode = holdsCode(variable);
    variables.push_back(std::move(described));
  }
  std::sort(variables.begin(), variables.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return variables;
}

Expected<void> pinVariables(llvm::Module& module, std::span<const Pin> pins, std::vector<CodeVariable>& variables,
                            std::vector<std::string>& remarks) {
  for (const Pin& pin : pins) {
    auto found = findVariable(variables, pin.variable);
    if (!found) return std::move(found).error();
    CodeVariable* variable = *found;
    if (!variable) remarks.push_back("not pinned: the kernel does not use " + pin.variable);
    else if (variable->constant) remarks.push_back("not pinned: " + pin.variable + " is constant memory");
    else if (variable->holdsCode) remarks.push_back("not pinned: " + pin.variable + " holds addresses of functions");
    else if (!variable->pinned) {
      replaceByAddress(*module.getNamedGlobal(variable->name), pin.address);
      variable->pinned = true;
    }
  }
  return {};
}

}  // namespace mneme::code
