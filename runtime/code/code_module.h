// SPDX-License-Identifier: Apache-2.0
/// generate() and acceptedByAssembler() for programs that must start without LLVM: it lives in libexec/mneme/libmneme-code.so, which is loaded at
/// the first call. The library and the program come from one build; another build's is refused.
#pragma once

#include "code/acceptance.h"
#include "code/generate.h"

namespace mneme::code {

/// As generate(). Unavailable if this build has no LLVM, or the library is not beside the program.
[[nodiscard]] Expected<GeneratedCode> generateInModule(const GenerateInput& input);

/// As acceptedByAssembler().
[[nodiscard]] Expected<void> acceptedInModule(const BitcodeModule& module, const std::string& architecture);

}  // namespace mneme::code
