// SPDX-License-Identifier: Apache-2.0
/// The kernel's variables: pinned to the addresses they had, or described for whoever fills them.
#pragma once

#include <llvm/IR/Module.h>

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "code/generate.h"

namespace mneme::code {

/// Variables of a settled module (see linkage.h), sorted by name.
[[nodiscard]] std::vector<CodeVariable> describeVariables(const llvm::Module& module);

/// Replaces variables by constant addresses in the global address space and marks them in `variables`. Constants,
/// variables that hold code addresses and names that the kernel does not use stay as they are, with a remark.
[[nodiscard]] Expected<void> pinVariables(llvm::Module& module, std::span<const Pin> pins,
                                          std::vector<CodeVariable>& variables, std::vector<std::string>& remarks);

}  // namespace mneme::code
