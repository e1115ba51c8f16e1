// SPDX-License-Identifier: Apache-2.0
/// Collects the notes of files and of the running process.
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <deque>
#include <span>

#include "base/file.h"
#include "base/printable.h"
#include "code/ar_file.h"
#include "code/library_search.h"
#include "code/note_format.h"
#include "code/notes.h"

namespace mneme::code {

namespace fs = std::filesystem;

/// Owns what the stored notes borrow from.
struct NoteArchive::State {
  std::deque<MappedFile> files;
  std::deque<std::vector<std::byte>> copies;
  std::vector<StoredNote> stored;
};

namespace {

using Bytes = std::span<const std::byte>;

Expected<void> addRange(const NoteRange& range, const fs::path& binary, std::vector<StoredNote>& out) {
  auto notes = decodeNotes(range);
  if (!notes) return std::move(notes).error();
  for (StoredNote& stored : *notes) {
    stored.note.binary = binary;
    out.push_back(std::move(stored));
  }
  return {};
}

Expected<void> addElf(Bytes elf, const fs::path& binary, std::vector<StoredNote>& out) {
  const auto ranges = noteRanges(elf);
  if (!ranges) return ranges.error();
  for (const NoteRange& range : *ranges)
    if (auto added = addRange(range, binary, out); !added) return added;
  return {};
}

Expected<Bytes> mapped(const fs::path& path, std::deque<MappedFile>& files) {
  auto file = MappedFile::open(path);
  if (!file) return std::move(file).error();
  files.push_back(std::move(*file));
  return files.back().bytes();
}

/// Members that are not ELF (text, LLVM bitcode of a link-time-optimised library) hold no notes.
Expected<void> addAr(Bytes bytes, const fs::path& path, std::deque<MappedFile>& files, std::vector<StoredNote>& out) {
  const auto archive = readAr(bytes);
  if (!archive) return archive.error();
  for (const ArMember& member : archive->members) {
    Bytes content = member.bytes;
    if (archive->thin) {
      const auto file = mapped(path.parent_path() / member.name, files);
      if (!file) return Error(file.error().code(), printable(file.error().message()));
      content = *file;
    }
    if (!isElf(content)) continue;
    if (auto added = addElf(content, path, out); !added) return std::move(added).error().context(printable(member.name));
  }
  return {};
}

/// Copies the process's own note segments that hold our notes; the library may be unloaded later.
int copyProcessNotes(dl_phdr_info* info, size_t, void* data) {
  auto& found = *static_cast<std::vector<std::pair<fs::path, std::vector<std::byte>>>*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE || segment.p_align == 8) continue;
    const auto* begin = reinterpret_cast<const std::byte*>(info->dlpi_addr + segment.p_vaddr);
    const Bytes bytes(begin, segment.p_memsz);
    const std::string_view text(reinterpret_cast<const char*>(begin), bytes.size());
    if (text.find({kNoteOwner, sizeof kNoteOwner}) == std::string_view::npos) continue;
    const char* name = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    found.emplace_back(name, std::vector<std::byte>(bytes.begin(), bytes.end()));
  }
  return 0;
}

}  // namespace

NoteArchive::NoteArchive(std::shared_ptr<State> state) : state_(std::move(state)) {
  for (const StoredNote& stored : state_->stored) notes_.push_back(stored.note);
}

Expected<NoteArchive> NoteArchive::open(const fs::path& binary) {
  auto state = std::make_shared<State>();
  const auto bytes = mapped(binary, state->files);
  if (!bytes) return bytes.error();
  if (!isElf(*bytes) && !isAr(*bytes))
    return Error(ErrorCode::InvalidArgument, binary.string() + ": neither an ELF file nor a static library");
  auto added = isElf(*bytes) ? addElf(*bytes, binary, state->stored) : addAr(*bytes, binary, state->files, state->stored);
  if (!added) return std::move(added).error().context(binary.string());
  return NoteArchive(std::move(state));
}

Expected<NoteArchive> NoteArchive::openWithLibraries(const fs::path& binary) {
  auto archive = open(binary);
  if (!archive) return archive;
  State& state = *archive->state_;
  if (!isElf(state.files.front().bytes())) return archive;
  const auto files = withLibraries(binary);
  if (!files) return files.error();
  for (const fs::path& library : std::span(*files).subspan(1)) {
    const auto bytes = mapped(library, state.files);
    if (!bytes) continue;  // the loader would complain, not we
    if (auto added = addElf(*bytes, library, state.stored); !added)
      return std::move(added).error().context(library.string());
  }
  return NoteArchive(std::move(archive->state_));
}

Expected<NoteArchive> NoteArchive::openProcess() {
  std::vector<std::pair<fs::path, std::vector<std::byte>>> found;
  dl_iterate_phdr(copyProcessNotes, &found);
  auto state = std::make_shared<State>();
  for (auto& [name, bytes] : found) {
    state->copies.push_back(std::move(bytes));
    if (auto added = addRange({state->copies.back(), 4}, name, state->stored); !added)
      return std::move(added).error().context(name.string());
  }
  return NoteArchive(std::move(state));
}

Expected<std::vector<std::byte>> NoteArchive::code(const Note& note) const {
  for (const StoredNote& stored : state_->stored)
    if (stored.note.hash == note.hash && stored.note.kind == note.kind) {
      auto code = decompress(stored);
      if (!code) return std::move(code).error().context(stored.note.binary.string());
      return code;
    }
  return Error(ErrorCode::NotFound, "no code with hash " + toHex(note.hash) + " in this archive");
}

}  // namespace mneme::code
