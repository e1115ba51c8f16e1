// SPDX-License-Identifier: Apache-2.0
/// generate() for programs that must start without LLVM: it lives in libexec/mneme/libmneme-code.so, which is loaded at
/// the first call. The library and the program come from one build; another build's is refused.
#pragma once

#include "code/generate.h"

namespace mneme::code {

/// As generate(). Unavailable if this build has no LLVM, or the library is not beside the program.
[[nodiscard]] Expected<GeneratedCode> generateInModule(const GenerateInput& input);

}  // namespace mneme::code
