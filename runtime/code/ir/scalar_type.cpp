// SPDX-License-Identifier: Apache-2.0
#include "code/ir/scalar_type.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DerivedTypes.h>

namespace mneme::code {
namespace {

std::string integerName(unsigned bits) {
  switch (bits) {
    case 1:
    case 8: return "i8";
    case 16: return "i16";
    case 32: return "i32";
    case 64: return "i64";
    default: return {};
  }
}

/// CUDA's and HIP's number classes hold their bits as integers; the name alone tells.
std::string numberClass(llvm::StringRef name) {
  name.consume_front("struct.") || name.consume_front("class.") || name.consume_front("union.");
  if (name.starts_with("__half")) return "f16";
  if (name.starts_with("__nv_bfloat16") || name.starts_with("__hip_bfloat16") || name.starts_with("hip_bfloat16"))
    return "bf16";
  return {};
}

std::string scalarOfStruct(llvm::StructType* type) {
  if (type->hasName())
    if (auto number = numberClass(type->getName()); !number.empty()) return number;
  std::string common;
  for (llvm::Type* field : type->elements()) {
    auto scalar = scalarOf(field);
    if (scalar.empty() || (!common.empty() && scalar != common)) return {};
    common = scalar;
  }
  return common;
}

}  // namespace

std::string scalarOf(llvm::Type* type) {
  if (type->isHalfTy()) return "f16";
  if (type->isBFloatTy()) return "bf16";
  if (type->isFloatTy()) return "f32";
  if (type->isDoubleTy()) return "f64";
  if (type->isIntegerTy()) return integerName(type->getIntegerBitWidth());
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) return scalarOf(vector->getElementType());
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) return scalarOf(array->getElementType());
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) return scalarOfStruct(structure);
  return {};
}

}  // namespace mneme::code
