// SPDX-License-Identifier: Apache-2.0
/// A device source in a build without a CUDA or HIP compiler: clang compiles both sides for the host device.
#pragma once

#include <string>

#include "compiler_command.h"
#include "options.h"

namespace mneme::notes {

/// The exit code for the build system; an Error where no compiler could be run.
[[nodiscard]] Expected<int> compileForHost(const Options& options, const CompilerCommand& command,
                                           const std::string& source);

/// -E, -M, -MM: to the command's -o, else to stdout. Preprocessed text holds both sides, one after the other.
[[nodiscard]] Expected<int> inspectBothSides(const Options& options, const CompilerCommand& command,
                                             const std::string& source);

/// The device side as PTX text: to the command's -o, else to a file named after the source.
[[nodiscard]] Expected<int> writePtx(const Options& options, const CompilerCommand& command, const std::string& source);

}  // namespace mneme::notes
