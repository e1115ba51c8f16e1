// SPDX-License-Identifier: Apache-2.0
/// Replaces one kernel parameter by the bytes it had.
#pragma once

#include <llvm/IR/Function.h>

#include "base/error.h"
#include "code/specialisation.h"

namespace mneme::code {

/// Integers, floating-point numbers, pointers, vectors, and structures passed by value.
[[nodiscard]] Expected<void> foldArgument(llvm::Function& kernel, const FoldedArgument& argument);

}  // namespace mneme::code
