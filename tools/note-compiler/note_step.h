// SPDX-License-Identifier: Apache-2.0
/// Puts notes into an object that a compiler has just written.
#pragma once

#include "code/notes.h"
#include "compiler_command.h"
#include "options.h"
#include "temporary_files.h"

namespace mneme::notes {

struct NoteContent {
  code::Note note;
  std::vector<std::byte> code;
};

/// False with --no-notes and for sources named by --without.
[[nodiscard]] bool wantsNotes(const Options& options, const std::string& source);

/// What every note of this compile says; kind, architecture, code and kernels are left to the caller.
[[nodiscard]] code::Note commonNote(const CompilerCommand& command, const std::string& source);

/// The note of a bitcode file; architecture and device command are left to the caller. The helper mneme-bitcode looks into
/// the file, so that ordinary compiles never load LLVM.
[[nodiscard]] Expected<NoteContent> bitcodeNote(const CompilerCommand& command, const std::string& source,
                                                const std::string& bitcode);

/// The helper of that name beside this program.
[[nodiscard]] std::string helper(const std::string& name);

/// Replaces the object by one that also holds the notes. A new file: the old one may be a hard link into a cache.
[[nodiscard]] Expected<void> addNotes(const std::string& object, const std::vector<NoteContent>& notes,
                                      const Options& options, TemporaryFiles& files);

}  // namespace mneme::notes
