// SPDX-License-Identifier: Apache-2.0
/// A device source that nvcc (or clang) compiles: that command runs untouched; bitcode and PTX are noted beside it.
#pragma once

#include <string>

#include "compiler_command.h"
#include "options.h"

namespace mneme::notes {

/// The exit code for the build system; an Error where no compiler could be run or the note could not be added.
[[nodiscard]] Expected<int> compileForCuda(const Options& options, const CompilerCommand& command,
                                           const std::string& source);

}  // namespace mneme::notes
