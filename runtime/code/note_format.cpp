// SPDX-License-Identifier: Apache-2.0
/// Encodes and decodes single notes.
/// Lengths in a file are hostile until compared with the bytes that are there.
#include "code/note_format.h"

#include <elf.h>
#include <zstd.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace mneme::code {
namespace {

using Bytes = std::span<const std::byte>;
using nlohmann::json;

constexpr uint32_t kHeaderVersion = 1;
constexpr int kCompressionLevel = 3;
constexpr uint64_t kMaxExpansion = (128 * 1024) / 4;  ///< zstd: a block of four bytes stands for at most 128 KiB

Error broken(const std::string& what) { return {ErrorCode::InvalidArgument, "broken Mneme note: " + printable(what)}; }

uint64_t padded(uint64_t size, uint64_t alignment) { return (size + alignment - 1) / alignment * alignment; }

template <typename T>
void append(std::vector<std::byte>& out, const T& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

void append(std::vector<std::byte>& out, const void* data, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

std::string metadataOf(const Note& note, const Hash128& hash) {
  const json metadata{{"kind", name(note.kind)},         {"architecture", note.architecture},
                      {"source", note.source},           {"directory", note.directory},
                      {"command", note.command},         {"deviceCommand", note.deviceCommand},
                      {"compiler", note.compiler},       {"kernels", note.kernels},
                      {"missing", note.missing},         {"hash", toHex(hash)}};
  return metadata.dump(-1, ' ', false, json::error_handler_t::replace);
}

Expected<Note> parseMetadata(std::string_view text) {
  try {
    const json metadata = json::parse(text);
    Note note;
    const auto kind = codeKindFromName(metadata.at("kind").get<std::string>());
    const auto hash = hashFromHex(metadata.at("hash").get<std::string>());
    if (!kind || !hash) return broken("unknown code kind or hash");
    note.kind = *kind;
    note.hash = *hash;
    metadata.at("architecture").get_to(note.architecture);
    metadata.at("source").get_to(note.source);
    metadata.at("directory").get_to(note.directory);
    metadata.at("command").get_to(note.command);
    metadata.at("deviceCommand").get_to(note.deviceCommand);
    metadata.at("compiler").get_to(note.compiler);
    metadata.at("kernels").get_to(note.kernels);
    metadata.at("missing").get_to(note.missing);
    return note;
  } catch (const json::exception& error) {
    return broken(error.what());
  }
}

Expected<StoredNote> parseDescriptor(Bytes descriptor) {
  NoteHeader head;
  if (descriptor.size() < sizeof head) return broken("shorter than its header");
  std::memcpy(&head, descriptor.data(), sizeof head);
  descriptor = descriptor.subspan(sizeof head);
  if (head.version != kHeaderVersion)
    return Error(ErrorCode::Unsupported, "Mneme note of version " + std::to_string(head.version) +
                                             ", written by a newer Mneme; this one reads version 1");
  if (head.metadataBytes > descriptor.size() || head.storedBytes > descriptor.size() - head.metadataBytes)
    return broken("lengths go past its end");
  if (head.codeBytes > kMaxCodeBytes) return broken("code of more than 1 GiB");
  if (head.codeBytes / kMaxExpansion > head.storedBytes) return broken("code of an impossible length");
  auto note = parseMetadata({reinterpret_cast<const char*>(descriptor.data()), head.metadataBytes});
  if (!note) return std::move(note).error();
  return StoredNote{std::move(*note), descriptor.subspan(head.metadataBytes, head.storedBytes), head.codeBytes};
}

bool isOurs(const Elf64_Nhdr& head, Bytes owner) {
  return head.n_type == kNoteType && owner.size() == sizeof kNoteOwner &&
         std::memcmp(owner.data(), kNoteOwner, sizeof kNoteOwner) == 0;
}

}  // namespace

Expected<std::vector<std::byte>> encodeNote(const Note& note, std::span<const std::byte> code) {
  if (code.size() > kMaxCodeBytes) return Error(ErrorCode::InvalidArgument, "code of more than 1 GiB");
  std::vector<std::byte> stored(ZSTD_compressBound(code.size()));
  const size_t size = ZSTD_compress(stored.data(), stored.size(), code.data(), code.size(), kCompressionLevel);
  if (ZSTD_isError(size)) return Error(ErrorCode::Io, std::string("zstd: ") + ZSTD_getErrorName(size));
  const std::string metadata = metadataOf(note, hash128(code));
  const uint64_t descriptorBytes = sizeof(NoteHeader) + metadata.size() + size;
  if (padded(descriptorBytes, 4) > UINT32_MAX) return Error(ErrorCode::InvalidArgument, "a note of more than 4 GiB");

  std::vector<std::byte> out;
  out.reserve(descriptorBytes + 64);
  append(out, Elf64_Nhdr{sizeof kNoteOwner, static_cast<uint32_t>(padded(descriptorBytes, 4)), kNoteType});
  append(out, kNoteOwner, sizeof kNoteOwner);
  out.resize(padded(out.size(), 4));
  append(out, NoteHeader{kHeaderVersion, static_cast<uint32_t>(metadata.size()), code.size(), size});
  append(out, metadata.data(), metadata.size());
  append(out, stored.data(), size);
  out.resize(padded(out.size(), 4));
  return out;
}

Expected<std::vector<StoredNote>> decodeNotes(const NoteRange& range) {
  const uint64_t alignment = range.alignment == 8 ? 8 : 4;
  const Bytes bytes = range.bytes;
  std::vector<StoredNote> notes;
  for (uint64_t at = 0; bytes.size() - at >= sizeof(Elf64_Nhdr);) {
    Elf64_Nhdr head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    const uint64_t ownerAt = at + sizeof head;
    const uint64_t descriptorAt = at + padded(sizeof head + uint64_t{head.n_namesz}, alignment);
    const uint64_t end = descriptorAt + head.n_descsz;
    if (ownerAt + head.n_namesz > bytes.size() || end > bytes.size()) return broken("a note goes past its section");
    if (isOurs(head, bytes.subspan(ownerAt, head.n_namesz))) {
      auto stored = parseDescriptor(bytes.subspan(descriptorAt, head.n_descsz));
      if (!stored) return std::move(stored).error();
      notes.push_back(std::move(*stored));
    }
    at = std::min<uint64_t>(padded(end, alignment), bytes.size());
  }
  return notes;
}

Expected<std::vector<std::byte>> decompress(const StoredNote& stored) {
  const auto declared = ZSTD_getFrameContentSize(stored.code.data(), stored.code.size());
  if (declared != stored.codeBytes) return broken("the compressed code has another length than declared");
  std::vector<std::byte> code(stored.codeBytes);
  const size_t size = ZSTD_decompress(code.data(), code.size(), stored.code.data(), stored.code.size());
  if (ZSTD_isError(size)) return broken(ZSTD_getErrorName(size));
  if (size != stored.codeBytes || hash128(code) != stored.note.hash) return broken("the code does not match its hash");
  return code;
}

}  // namespace mneme::code
