// SPDX-License-Identifier: Apache-2.0
/// Linkage before and after modules are put together. Before: local symbols become visible under unique names, so that
/// two parts of one module, moved one after the other, meet in one variable. After: only what must be visible is.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace mneme::code {

/// Every named local symbol becomes external and hidden, its name followed by `suffix`.
void exposeLocals(llvm::Module& module, const std::string& suffix);

/// The name a symbol had in its own module.
[[nodiscard]] std::string originalName(const llvm::GlobalObject& object);

/// True for a variable whose value somebody may set: the host, or another kernel.
[[nodiscard]] bool isMutableVariable(const llvm::GlobalVariable& variable);

/// The kernel and mutable variables become external (variables externally initialised, named as PTX allows), all else
/// internal. Names that exposeLocals changed come back where they are free.
void settleLinkage(llvm::Module& module, llvm::Function& kernel);

}  // namespace mneme::code
