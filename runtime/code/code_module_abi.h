// SPDX-License-Identifier: Apache-2.0
/// What libmneme-code.so and its loader agree on. C++ types cross: both sides are of one build, and check it.
#pragma once

#include <optional>

#include "code/generate.h"
#include "mneme/version.h"

namespace mneme::code {

inline constexpr char kModuleFile[] = "libmneme-code.so";
inline constexpr char kBuildSymbol[] = "mnemeCodeBuild";
inline constexpr char kGenerateSymbol[] = "mnemeCodeGenerate";
/// Changes with whatever a build changes in the types that cross.
inline constexpr char kBuild[] = MNEME_VERSION " " __VERSION__;

using GenerateFunction = void (*)(const GenerateInput& input, std::optional<Expected<GeneratedCode>>& answer);

}  // namespace mneme::code
