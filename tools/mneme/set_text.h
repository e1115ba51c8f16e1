// SPDX-License-Identifier: Apache-2.0
/// How the set commands spell a recording's facts, and the options they share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "format/manifest.h"

namespace mneme::cli {

/// "4x2x1 / 128x1x1", grid and block.
[[nodiscard]] std::string shapeText(const LaunchShape& shape);
/// Code kinds in the manifest's order: "llvm,ptx"; "-" for none.
[[nodiscard]] std::string codeText(const format::Manifest& manifest);
/// The worst answer of the self-check; "not run" without one, "redacted" where there is nothing to check.
[[nodiscard]] std::string checkText(const format::Manifest& manifest);
/// Bytes of all regions.
[[nodiscard]] uint64_t regionBytes(const format::Manifest& manifest);

/// The optional positional SET, by default `recordings`.
void addSetOption(CLI::App& app, std::string& set);

/// Manifests that arguments mean: a directory stands for every recording of that set. A set's own files, which a shell's
/// SET/*.json names too, are passed over where something else is named. An error if no recording is left, but for empty sets with `mayBeEmpty`.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> manifestsOf(const std::vector<std::string>& arguments,
                                                                       bool mayBeEmpty = false);

}  // namespace mneme::cli
