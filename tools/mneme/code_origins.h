// SPDX-License-Identifier: Apache-2.0
/// Where recorded code comes from: found by its hash among the notes of the program's binaries. And what they hold of a
/// kernel besides the image that ran.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
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

  /// A GPU's recorder sees images only: adds the noted bitcode and PTX of the kernel to the set and to the manifest, as
  /// far as it has no code of that kind.
  [[nodiscard]] Expected<void> addNotedCode(format::Manifest& manifest, const std::filesystem::path& set) const;

 private:
  std::vector<code::NoteArchive> archives_;
};

/// The program's file as the manifest's command line names it.
[[nodiscard]] std::filesystem::path programOf(const format::Manifest& manifest);

}  // namespace mneme::cli
