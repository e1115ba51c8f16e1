// SPDX-License-Identifier: Apache-2.0
/// Which GPU code is made for: architecture names, PTX versions, LLVM's target machine.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "code/generate.h"

namespace mneme::code {

/// "sm_90a" -> 90. 0 for anything that is not NVIDIA's.
[[nodiscard]] unsigned smNumber(const std::string& architecture);

/// The PTX version to write, 10*major+minor: the driver's newest, as far as LLVM knows it, but never older than the
/// architecture needs. Unsupported, with both numbers, where the driver is too old or LLVM does not know the architecture.
[[nodiscard]] Expected<uint32_t> ptxVersionFor(const Target& target);

/// Sets triple, data layout and per-function target attributes of the module to the target's and returns its machine.
[[nodiscard]] Expected<std::unique_ptr<llvm::TargetMachine>> retarget(llvm::Module& module, const Target& target,
                                                                     uint32_t waveSize);

}  // namespace mneme::code
