// SPDX-License-Identifier: Apache-2.0
/// One note's bytes: what lies between the ELF note header and the compressed code.
#pragma once

#include <cstddef>
#include <span>

#include "base/error.h"
#include "code/elf_file.h"
#include "code/notes.h"

namespace mneme::code {

/// A note and its code as stored, borrowed from the file.
struct StoredNote {
  Note note;
  std::span<const std::byte> code;  ///< zstd frame
  uint64_t codeBytes = 0;           ///< decompressed, at most kMaxCodeBytes
};

/// Larger code is refused: nothing real comes near, and a hostile length must not take the memory.
inline constexpr uint64_t kMaxCodeBytes = 1u << 30;

/// Mneme's notes in the range; others are skipped. A damaged range is an error.
[[nodiscard]] Expected<std::vector<StoredNote>> decodeNotes(const NoteRange& range);

/// The code, checked against its length and hash.
[[nodiscard]] Expected<std::vector<std::byte>> decompress(const StoredNote& stored);

}  // namespace mneme::code
