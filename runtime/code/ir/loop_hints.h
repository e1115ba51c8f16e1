// SPDX-License-Identifier: Apache-2.0
/// Unrolling and vectorising overrides: the metadata that a pragma before every loop would have left.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <optional>

namespace mneme::code {

/// Counts as in Specialisation: 1 forbids, kUnrollFully.
void hintLoops(llvm::Module& module, std::optional<uint32_t> unroll, std::optional<uint32_t> vectorWidth);

}  // namespace mneme::code
