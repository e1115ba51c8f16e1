// SPDX-License-Identifier: Apache-2.0
/// Element types of a new recording's regions, from what the kernel's llvm code loads and stores through its arguments.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "format/manifest.h"

namespace mneme::cli {

/// Sets the type of every region that has none (an annotation's stays) and that an argument points into or that is a
/// variable, from the recording's llvm code in `set`. Unavailable if this Mneme was built without LLVM.
[[nodiscard]] Expected<void> setElementTypes(format::Manifest& manifest, const std::filesystem::path& set);

/// The same from what `mneme-bitcode elements` printed.
void applyElementTypes(format::Manifest& manifest, std::string_view answer);

}  // namespace mneme::cli
