// SPDX-License-Identifier: Apache-2.0
#include "code/ir/loop_hints.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>

#include "code/specialisation.h"

namespace mneme::code {
namespace {

using Properties = llvm::SmallVector<llvm::Metadata*, 8>;

llvm::MDNode* property(llvm::LLVMContext& context, llvm::StringRef name, std::optional<uint32_t> value = std::nullopt) {
  Properties parts = {llvm::MDString::get(context, name)};
  if (value)
    parts.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), *value)));
  return llvm::MDNode::get(context, parts);
}

void addUnroll(llvm::LLVMContext& context, uint32_t unroll, Properties& properties) {
  if (unroll <= 1) properties.push_back(property(context, "llvm.loop.unroll.disable"));
  else if (unroll == kUnrollFully) properties.push_back(property(context, "llvm.loop.unroll.full"));
  else properties.push_back(property(context, "llvm.loop.unroll.count", unroll));
}

/// What the program's own pragmas said about anything else is kept.
void keepOthers(const llvm::Loop& loop, bool unroll, bool vectorize, Properties& properties) {
  const llvm::MDNode* old = loop.getLoopID();
  for (unsigned i = 1; old && i < old->getNumOperands(); ++i) {
    const auto* node = llvm::dyn_cast<llvm::MDNode>(old->getOperand(i));
    const auto* name = node && node->getNumOperands() ? llvm::dyn_cast<llvm::MDString>(node->getOperand(0)) : nullptr;
    const llvm::StringRef text = name ? name->getString() : llvm::StringRef();
    if ((unroll && text.starts_with("llvm.loop.unroll.")) || (vectorize && text.starts_with("llvm.loop.vectorize."))) continue;
    properties.push_back(old->getOperand(i));
  }
}

void hint(llvm::Loop& loop, std::optional<uint32_t> unroll, std::optional<uint32_t> vectorWidth) {
  llvm::LLVMContext& context = loop.getHeader()->getContext();
  Properties properties = {nullptr};  // place of the reference to itself
  keepOthers(loop, unroll.has_value(), vectorWidth.has_value(), properties);
  if (unroll) addUnroll(context, *unroll, properties);
  if (vectorWidth) properties.push_back(property(context, "llvm.loop.vectorize.width", *vectorWidth));
  llvm::MDNode* id = llvm::MDNode::getDistinct(context, properties);
  id->replaceOperandWith(0, id);
  loop.setLoopID(id);
}

}  // namespace

void hintLoops(llvm::Module& module, std::optional<uint32_t> unroll, std::optional<uint32_t> vectorWidth) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) hint(*loop, unroll, vectorWidth);
  }
}

}  // namespace mneme::code
