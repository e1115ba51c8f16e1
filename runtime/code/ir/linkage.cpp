// SPDX-License-Identifier: Apache-2.0
#include "code/ir/linkage.h"

#include <llvm/Support/NVPTXAddrSpace.h>

#include <algorithm>
#include <cctype>

namespace mneme::code {
namespace {

constexpr char kNameAttribute[] = "mneme-name";

void rememberName(llvm::GlobalValue& value) {
  const llvm::StringRef name = value.getName();
  if (auto* function = llvm::dyn_cast<llvm::Function>(&value)) function->addFnAttr(kNameAttribute, name);
  if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value)) variable->addAttribute(kNameAttribute, name);
}

/// PTX knows letters, digits, '_' and '$'.
std::string ptxName(llvm::StringRef name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$') result += c;
    else result += "_$_";
  }
  return result;
}

void restoreName(llvm::Module& module, llvm::GlobalObject& object) {
  const std::string name = originalName(object);
  if (object.getName() != name && !module.getNamedValue(name)) object.setName(name);
}

/// A code object is a shared object: what it exports is protected, or it could not refer to it directly.
void setLinkage(llvm::GlobalObject& object, bool visible) {
  const bool isProtected = visible && object.getParent()->getTargetTriple().isAMDGCN();
  object.setComdat(nullptr);
  object.setVisibility(llvm::GlobalValue::DefaultVisibility);
  object.setLinkage(visible ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage);
  if (isProtected) object.setVisibility(llvm::GlobalValue::ProtectedVisibility);
  object.setDSOLocal(true);
}

void settleVariable(llvm::Module& module, llvm::GlobalVariable& variable) {
  restoreName(module, variable);
  const bool isMutable = isMutableVariable(variable);
  setLinkage(variable, isMutable);
  if (!isMutable) return;
  variable.setExternallyInitialized(true);
  variable.setName(ptxName(variable.getName()));
}

}  // namespace

void exposeLocals(llvm::Module& module, const std::string& suffix) {
  for (llvm::GlobalValue& value : module.global_values()) {
    if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
    if (!value.hasLocalLinkage() || !value.hasName()) continue;
    rememberName(value);
    if (!suffix.empty()) value.setName(value.getName() + suffix);
    value.setLinkage(llvm::GlobalValue::ExternalLinkage);
    value.setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
}

std::string originalName(const llvm::GlobalObject& object) {
  llvm::Attribute attribute;
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&object)) attribute = function->getFnAttribute(kNameAttribute);
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object))
    attribute = variable->getAttributes().getAttribute(kNameAttribute);
  return attribute.isValid() ? attribute.getValueAsString().str() : object.getName().str();
}

/// clang marks what the host may set; a static constant of zeros that it did not mark makes sense only if something
/// sets it, and an unmarked plain variable may be set by another kernel.
bool isMutableVariable(const llvm::GlobalVariable& variable) {
  if (variable.isDeclaration()) return false;
  if (variable.getAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_SHARED) return false;
  if (variable.getAddressSpace() == llvm::NVPTXAS::ADDRESS_SPACE_CONST)
    return variable.isExternallyInitialized() || variable.getInitializer()->isNullValue();
  return !variable.isConstant();
}

void settleLinkage(llvm::Module& module, llvm::Function& kernel) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    restoreName(module, function);
    setLinkage(function, &function == &kernel);
  }
  for (llvm::GlobalVariable& variable : module.globals())
    if (!variable.isDeclaration() && variable.hasName() && !variable.hasAppendingLinkage())
      settleVariable(module, variable);
}

}  // namespace mneme::code
