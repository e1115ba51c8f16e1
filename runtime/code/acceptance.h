// SPDX-License-Identifier: Apache-2.0
/// Whether device code can become machine code, asked while a program is built rather than when a recording is replayed.
#pragma once

#include <string>

#include "base/error.h"
#include "code/generate.h"

namespace mneme::code {

/// Makes PTX of everything in the module, quickly, and has ptxas look at it. What other modules define may be missing.
/// Unsupported, with the words of LLVM or of ptxas, if one of them refuses; Unavailable where there is no ptxas.
[[nodiscard]] Expected<void> acceptedByAssembler(const BitcodeModule& module, const std::string& architecture);

}  // namespace mneme::code
