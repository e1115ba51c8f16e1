// SPDX-License-Identifier: Apache-2.0
/// A command line of HIP's clang, or of hipcc around it, as the stand-in compiler understands it.
#pragma once

#include "nvcc_command.h"

namespace mneme::host_toolchain {

/// Under which names the program is HIP's compiler: "clang++", "amdclang++", "hipcc". hipcc takes every C++ source for HIP.
[[nodiscard]] bool isHipName(const std::string& program);

/// Options about an AMD GPU's code are taken and have no effect.
[[nodiscard]] Expected<NvccCommand> parseHip(const Words& words);

/// Questions about clang itself (`--version`, `-print-prog-name=…`) that clang answers.
[[nodiscard]] bool asksClang(const Words& words);

/// Tells CMake where the HIP installation is, by the line that clang prints under -v.
void showHipPlace();

}  // namespace mneme::host_toolchain
