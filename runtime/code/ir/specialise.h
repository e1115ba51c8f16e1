// SPDX-License-Identifier: Apache-2.0
/// Writes a Specialisation's facts and bounds into the IR, before any pass. The kernel's signature stays.
#pragma once

#include <llvm/IR/Module.h>

#include "base/error.h"
#include "code/specialisation.h"

namespace mneme::code {

[[nodiscard]] Expected<void> specialise(llvm::Function& kernel, const Specialisation& wanted);

}  // namespace mneme::code
