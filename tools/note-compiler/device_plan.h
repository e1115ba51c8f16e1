// SPDX-License-Identifier: Apache-2.0
/// What clang must be told so that it sees a device source as the real compiler does: which macros, include folders,
/// language and arithmetic.
#pragma once

#include <string>
#include <vector>

#include "compiler_command.h"
#include "options.h"

namespace mneme::notes {

struct DevicePlan {
  Words flags;               ///< clang's spelling; the architecture is not among them
  std::string architecture;  ///< "sm_90a": the newest one of the command
  std::string toolkit;       ///< the CUDA toolkit's folder; empty if the command does not tell
};

/// Asks nvcc itself (--dryrun): so response files, environment variables, -Xcompiler, "native" and "all" are resolved as
/// nvcc resolves them. Takes some 20 ms.
[[nodiscard]] Expected<DevicePlan> planOfNvcc(const CompilerCommand& command);

/// The same from what `nvcc --dryrun` printed.
[[nodiscard]] Expected<DevicePlan> planFromDryRun(const std::string& output);

/// Of clang as the CUDA compiler: its own flags, and the newest architecture that they name.
[[nodiscard]] DevicePlan planOfClang(const CompilerCommand& command);

}  // namespace mneme::notes
