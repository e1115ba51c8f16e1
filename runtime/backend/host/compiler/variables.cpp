// SPDX-License-Identifier: Apache-2.0
/// Device variables: which globals are mutable, and their names.
/// Internal ones are mutable too: another kernel of the module may set them, so nothing may be folded into a kernel.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <set>

#include "backend/host/compiler/compiler.h"

namespace mneme::host::compiler {
namespace {

constexpr unsigned kSharedSpace = 3;

bool isDeviceVariable(const llvm::GlobalVariable& global) {
  if (global.getAddressSpace() == kSharedSpace || global.getName().starts_with("llvm.")) return false;
  return !global.isConstant() || global.isExternallyInitialized();
}

bool refersTo(const llvm::Constant* constant, const std::set<const llvm::GlobalVariable*>& globals,
              std::set<const llvm::Constant*>& seen) {
  if (!seen.insert(constant).second) return false;
  if (auto* global = llvm::dyn_cast<llvm::GlobalVariable>(constant)) return globals.count(global) != 0;
  if (llvm::isa<llvm::GlobalValue>(constant)) return false;
  for (auto& operand : constant->operands())
    if (auto* part = llvm::dyn_cast<llvm::Constant>(operand); part && refersTo(part, globals, seen)) return true;
  return false;
}

/// Constant tables that hold addresses of variables are variables as well: the loader fills them in.
std::set<const llvm::GlobalVariable*> closeOverInitialisers(llvm::Module& module) {
  std::set<const llvm::GlobalVariable*> variables;
  for (auto& global : module.globals())
    if (isDeviceVariable(global)) variables.insert(&global);
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& global : module.globals()) {
      if (!global.hasInitializer() || global.getAddressSpace() == kSharedSpace || variables.count(&global) ||
          global.getName().starts_with("llvm."))
        continue;
      std::set<const llvm::Constant*> seen;
      if (refersTo(global.getInitializer(), variables, seen)) grown = variables.insert(&global).second;
    }
  }
  return variables;
}

}  // namespace

Expected<void> exposeVariables(Unit& unit) {
  auto variables = closeOverInitialisers(unit.module);
  unsigned anonymous = 0;
  for (auto& global : unit.module.globals()) {
    if (!variables.count(&global)) continue;
    if (global.isDeclaration() && global.use_empty()) continue;  // clang's threadIdx and its kin
    if (!global.hasInitializer())
      return unsupported(unit, "the external device variable " + global.getName().str() + " (defined in another file)");
    if (!global.hasName()) global.setName("mneme.anonymous." + std::to_string(anonymous++));
    const bool constant = global.getAddressSpace() == 4;
    global.setLinkage(llvm::GlobalValue::ExternalLinkage);
    global.setVisibility(llvm::GlobalValue::DefaultVisibility);
    global.setComdat(nullptr);
    global.setSection("");
    global.setConstant(false);
    // Contents come from the module's variables object; a kernel's object needs name and size only.
    if (!unit.kernelName.empty()) global.setInitializer(llvm::Constant::getNullValue(global.getValueType()));
    global.setExternallyInitialized(true);
    unit.variables.push_back({&global, nullptr, global.getName().str(), constant});
  }
  return {};
}

Expected<void> layShared(Unit& unit) {
  bool pointers = false;
  for (auto& function : unit.module) pointers |= !function.isDeclaration() && function.hasAddressTaken();
  if (!pointers) return {};
  const auto& layout = unit.module.getDataLayout();
  unsigned anonymous = 0;
  for (auto& global : unit.module.globals()) {
    uint64_t size = layout.getTypeAllocSize(global.getValueType());
    if (global.getAddressSpace() != kSharedSpace || size == 0) continue;
    if (!global.hasName()) global.setName("mneme.shared." + std::to_string(anonymous++));
    auto alignment = std::max(global.getAlign().valueOrOne(), layout.getABITypeAlign(global.getValueType()));
    unit.shared.alignment = std::max<uint32_t>(unit.shared.alignment, alignment.value());
    unit.shared.staticBytes = llvm::alignTo(unit.shared.staticBytes, alignment);
    unit.shared.fixedOffsets[global.getName().str()] = unit.shared.staticBytes;
    unit.shared.staticBytes += size;
  }
  return {};
}

}  // namespace mneme::host::compiler
