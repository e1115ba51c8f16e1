// SPDX-License-Identifier: Apache-2.0
/// Notes: what the compiler launcher leaves in every object with device code, and how to find it again in a file.
/// An ELF note per device translation unit and kind, owner "Mneme", type kNoteType, in the allocated section
/// ".note.mneme". The descriptor is one NoteHeader (little endian), then JSON metadata, then the code, zstd-compressed.
/// No LLVM in this header; reading notes needs none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/launch.h"

namespace mneme::code {

inline constexpr uint32_t kNoteType = 0x4d4e4d01;  // "MNM" and the version
inline constexpr char kNoteOwner[] = "Mneme";
inline constexpr char kNoteSection[] = ".note.mneme";

struct NoteHeader {
  uint32_t version;        ///< 1
  uint32_t metadataBytes;  ///< JSON, UTF-8
  uint64_t codeBytes;      ///< decompressed
  uint64_t storedBytes;    ///< compressed, following the metadata
};

/// One piece of device code of a binary.
struct Note {
  CodeKind kind = CodeKind::Llvm;
  std::string architecture;          ///< "sm_90"
  std::string source;                ///< translation unit as given to the compiler
  std::string directory;             ///< where the compiler ran
  std::vector<std::string> command;  ///< the object's own compile command
  std::vector<std::string> deviceCommand;  ///< the command that made this code (empty if it is `command`)
  std::string compiler;              ///< "clang 22.1.8"
  std::vector<std::string> kernels;  ///< mangled entry names
  std::vector<std::string> missing;  ///< kernels the object has but this code lacks
  Hash128 hash;                      ///< of the decompressed code
  std::filesystem::path binary;      ///< where it was found
};

/// Writes a note section's bytes (for objcopy --add-section).
[[nodiscard]] Expected<std::vector<std::byte>> encodeNote(const Note& note, std::span<const std::byte> code);

/// Finds the notes of a file (executable, shared or static library, object). Code stays compressed until asked for.
class NoteArchive {
 public:
  [[nodiscard]] static Expected<NoteArchive> open(const std::filesystem::path& binary);
  /// The binary and, transitively, the libraries it needs that can be found.
  [[nodiscard]] static Expected<NoteArchive> openWithLibraries(const std::filesystem::path& binary);
  /// The running process: its program and every library loaded now. Bytes are copied.
  [[nodiscard]] static Expected<NoteArchive> openProcess();

  [[nodiscard]] const std::vector<Note>& notes() const { return notes_; }
  /// Decompressed and checked against the note's hash.
  [[nodiscard]] Expected<std::vector<std::byte>> code(const Note& note) const;

 private:
  struct State;
  explicit NoteArchive(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
  std::vector<Note> notes_;
};

}  // namespace mneme::code
