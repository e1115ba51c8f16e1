// SPDX-License-Identifier: Apache-2.0
/// Makes a module compute as the program's own compiler would have: square roots, divisions, denormals, fused operations.
/// Before any pass: afterwards nothing asks __nvvm_reflect and no global option of LLVM matters.
#pragma once

#include <llvm/IR/Module.h>

#include "code/numeric_flags.h"

namespace mneme::code {

/// `architecture` is 90 for sm_90.
void applyNumerics(llvm::Module& module, const NumericFlags& flags, unsigned architecture);

}  // namespace mneme::code
