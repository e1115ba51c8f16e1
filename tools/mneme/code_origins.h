// SPDX-License-Identifier: Apache-2.0
/// Where recorded code comes from: found by its hash among the notes of the program's binaries.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "code/notes.h"
#include "format/manifest.h"

namespace mneme::cli {

/// The notes of a recorded program and of the libraries it needs. Binaries that cannot be read have none.
class CodeOrigins {
 public:
  explicit CodeOrigins(const std::vector<std::filesystem::path>& binaries);

  /// Fills in source, command, architecture and toolchain of the code that is noted. Paths below one of `roots` become
  /// relative to it, so that a set that is checked in says nothing about the machine.
  void describe(format::Manifest& manifest, const std::vector<std::filesystem::path>& roots) const;

 private:
  std::vector<code::Note> notes_;
};

/// The program's file as the manifest's command line names it.
[[nodiscard]] std::filesystem::path programOf(const format::Manifest& manifest);

}  // namespace mneme::cli
