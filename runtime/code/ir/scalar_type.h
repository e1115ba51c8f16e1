// SPDX-License-Identifier: Apache-2.0
/// The one kind of scalar that a type is made of, by the names that manifests use.
#pragma once

#include <llvm/IR/Type.h>

#include <string>

namespace mneme::code {

/// "f32" of float, <4 x float>, [8 x float] and { float, [3 x float] }; the vendors' 16-bit number classes count as the
/// numbers they hold. Empty if there is none, or more than one.
[[nodiscard]] std::string scalarOf(llvm::Type* type);

}  // namespace mneme::code
