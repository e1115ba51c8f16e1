// SPDX-License-Identifier: Apache-2.0
/// Finds the libraries a program needs where the dynamic loader would, without running anything.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "code/elf_file.h"

namespace mneme::code {

/// The directories of one file's DT_RPATH or DT_RUNPATH, with $ORIGIN replaced.
[[nodiscard]] std::vector<std::filesystem::path> expandRunPath(const std::string& paths,
                                                               const std::filesystem::path& binary);

class LibrarySearch {
 public:
  /// Reads LD_LIBRARY_PATH and /etc/ld.so.conf.
  LibrarySearch();

  /// The first existing file for a DT_NEEDED name, or an empty path. `inherited`: the DT_RPATHs of the loading chain,
  /// which count only if the file itself has no DT_RUNPATH.
  [[nodiscard]] std::filesystem::path find(const std::string& name, const std::filesystem::path& binary,
                                           const DynamicInfo& info,
                                           const std::vector<std::filesystem::path>& inherited) const;

 private:
  std::vector<std::filesystem::path> environment_, system_;
};

/// The binary and, transitively, the libraries it needs that can be found, in the loader's order. Files that are no ELF
/// files end their branch silently: the loader would complain, not we.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> withLibraries(const std::filesystem::path& binary);

}  // namespace mneme::code
