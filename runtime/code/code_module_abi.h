// SPDX-License-Identifier: Apache-2.0
/// What libmneme-code.so and its loader agree on. C++ types cross: both sides are of one build, and check it.
#pragma once

#include <optional>

#include "code/acceptance.h"
#include "code/generate.h"
#include "mneme/version.h"

namespace mneme::code {

inline constexpr char kModuleFile[] = "libmneme-code.so";
inline constexpr char kBuildSymbol[] = "mnemeCodeBuild";
inline constexpr char kGenerateSymbol[] = "mnemeCodeGenerate";
inline constexpr char kAcceptSymbol[] = "mnemeCodeAccept";
/// Changes with whatever a build changes in the types that cross.
inline constexpr char kBuild[] = MNEME_VERSION " " __VERSION__;

using GenerateFunction = void (*)(const GenerateInput& input, std::optional<Expected<GeneratedCode>>& answer);
using AcceptFunction = void (*)(const BitcodeModule& module, const std::string& architecture,
                                std::optional<Expected<void>>& answer);

}  // namespace mneme::code
