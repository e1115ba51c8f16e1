// SPDX-License-Identifier: Apache-2.0
/// Which of a command's options go to clang's device side and to clang's host side.
#pragma once

#include "compiler_command.h"
#include "options.h"

namespace mneme::notes {

/// Macros, include paths, language and floating-point options: what can change the meaning of a kernel.
[[nodiscard]] Words deviceFlags(const CompilerCommand& command);

/// Everything but what only the named compiler understands. Options clang refuses are left out (it is asked).
[[nodiscard]] Expected<Words> hostFlags(const CompilerCommand& command, const Options& options);

}  // namespace mneme::notes
