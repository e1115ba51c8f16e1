// SPDX-License-Identifier: Apache-2.0
/// Where this program and its helpers are. An install and the build tree are laid out alike.
#pragma once

#include <filesystem>
#include <string>

namespace mneme::cli {

[[nodiscard]] std::filesystem::path ownProgram();

/// A file of libexec/mneme, there or not.
[[nodiscard]] std::filesystem::path helperFile(const std::string& name);

}  // namespace mneme::cli
