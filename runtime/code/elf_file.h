// SPDX-License-Identifier: Apache-2.0
/// What notes need of an ELF file: its note ranges and what its dynamic section asks for. Every bound is checked.
/// Views borrow from the bytes given; 64-bit little-endian files only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::code {

/// A range that holds ELF notes, and the alignment of the notes in it (4 or 8).
struct NoteRange {
  std::span<const std::byte> bytes;
  uint64_t alignment = 4;
};

/// What the loader reads of a dynamically linked file.
struct DynamicInfo {
  std::vector<std::string> needed;
  std::string rpath, runpath;  ///< colon-separated, $ORIGIN not replaced
};

[[nodiscard]] bool isElf(std::span<const std::byte> bytes);

/// Note sections; of a file without section headers, the note segments.
[[nodiscard]] Expected<std::vector<NoteRange>> noteRanges(std::span<const std::byte> elf);

/// Empty for a file without a dynamic section.
[[nodiscard]] Expected<DynamicInfo> dynamicInfo(std::span<const std::byte> elf);

}  // namespace mneme::code
