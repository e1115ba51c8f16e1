// SPDX-License-Identifier: Apache-2.0
/// Relocatable device code of several sources as one module, as a device linker makes it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/error.h"
#include "code/generate.h"

namespace mneme::code {

/// Everything of all modules, as bitcode. Two strong definitions of one symbol, and a symbol that is used but nowhere
/// defined, are errors that name it.
[[nodiscard]] Expected<std::vector<std::byte>> linkProgram(std::span<const BitcodeModule> modules);

/// The first module, and of the others what it needs and what that needs. Missing symbols are an error that names them.
[[nodiscard]] Expected<std::vector<std::byte>> completeModule(std::span<const BitcodeModule> modules);

}  // namespace mneme::code
