// SPDX-License-Identifier: Apache-2.0
/// What device code may leave undefined because the driver or the device compiler supplies it, and what nobody supplies.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace mneme::code {

/// Names that a definition must still be found for.
[[nodiscard]] std::vector<std::string> missingSymbols(const llvm::Module& module);

/// Bodies for the C++ runtime's few functions that device code may reach: a pure virtual call traps.
void defineRuntimeStubs(llvm::Module& module);

}  // namespace mneme::code
