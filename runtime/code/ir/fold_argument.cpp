// SPDX-License-Identifier: Apache-2.0
#include "code/ir/fold_argument.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/NVPTXAddrSpace.h>

#include <algorithm>
#include <span>

namespace mneme::code {
namespace {

using Bytes = std::span<const std::byte>;

Error wrongSize(const FoldedArgument& argument, uint64_t expected) {
  return {ErrorCode::InvalidArgument, "parameter " + std::to_string(argument.index) + " takes " +
                                          std::to_string(expected) + " bytes, not " +
                                          std::to_string(argument.value.size())};
}

llvm::APInt integerFrom(Bytes bytes, unsigned bits) {
  llvm::SmallVector<uint64_t, 4> words((bits + 63) / 64);
  for (size_t i = 0; i < bytes.size() && i / 8 < words.size(); ++i)
    words[i / 8] |= uint64_t{std::to_integer<uint8_t>(bytes[i])} << (i % 8 * 8);
  return {bits, words};
}

/// Null for a type whose bytes cannot be put into a constant.
llvm::Constant* constantFrom(llvm::Type* type, Bytes bytes, const llvm::DataLayout& layout) {
  if (type->isIntegerTy()) return llvm::ConstantInt::get(type, integerFrom(bytes, type->getIntegerBitWidth()));
  if (type->isPointerTy()) {
    const auto bits = static_cast<unsigned>(layout.getPointerTypeSizeInBits(type));
    llvm::Type* integer = llvm::IntegerType::get(type->getContext(), bits);
    return llvm::ConstantExpr::getIntToPtr(llvm::ConstantInt::get(integer, integerFrom(bytes, bits)), type);
  }
  if (!type->isFloatingPointTy() && !type->isVectorTy()) return nullptr;
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  llvm::Type* integer = llvm::IntegerType::get(type->getContext(), bits);
  return llvm::ConstantExpr::getBitCast(llvm::ConstantInt::get(integer, integerFrom(bytes, bits)), type);
}

/// A structure by value: a local copy of its bytes, so that a kernel may write to it; optimising takes the copy apart.
void foldByValue(llvm::Function& kernel, llvm::Argument& parameter, Bytes bytes) {
  llvm::Module& module = *kernel.getParent();
  const llvm::DataLayout& layout = module.getDataLayout();
  auto* initial = llvm::ConstantDataArray::getRaw(llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                                                  bytes.size(), llvm::Type::getInt8Ty(module.getContext()));
  auto* constant = new llvm::GlobalVariable(module, initial->getType(), true, llvm::GlobalValue::InternalLinkage, initial,
                                            "mneme_argument", nullptr, llvm::GlobalValue::NotThreadLocal,
                                            layout.getDefaultGlobalsAddressSpace());
  const llvm::Align alignment = parameter.getParamAlign().valueOrOne();
  constant->setAlignment(alignment);
  llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst* copy = builder.CreateAlloca(parameter.getParamByValType(), layout.getAllocaAddrSpace());
  copy->setAlignment(alignment);
  builder.CreateMemCpy(copy, alignment, constant, alignment, bytes.size());
  parameter.replaceAllUsesWith(builder.CreateAddrSpaceCast(copy, parameter.getType()));
}

}  // namespace

Expected<void> foldArgument(llvm::Function& kernel, const FoldedArgument& argument) {
  if (argument.index >= kernel.arg_size())
    return Error{ErrorCode::InvalidArgument, "the kernel has " + std::to_string(kernel.arg_size()) +
                                                 " parameters; there is no number " + std::to_string(argument.index)};
  llvm::Argument& parameter = *kernel.getArg(argument.index);
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  llvm::Type* byValue = parameter.hasByValAttr() ? parameter.getParamByValType() : nullptr;
  const uint64_t size = layout.getTypeAllocSize(byValue ? byValue : parameter.getType());
  if (argument.value.size() != size) return wrongSize(argument, size);
  if (byValue) {
    foldByValue(kernel, parameter, argument.value);
    return {};
  }
  llvm::Constant* value = constantFrom(parameter.getType(), argument.value, layout);
  if (!value)
    return Error{ErrorCode::Unsupported, "parameter " + std::to_string(argument.index) + " has a type that cannot be folded"};
  parameter.replaceAllUsesWith(value);
  return {};
}

}  // namespace mneme::code
