// SPDX-License-Identifier: Apache-2.0
/// The bytes of a pack: file header and record headers, encoded and checked in one place. Internal to format/.
/// Everything is little endian; docs/format.md is the prose of this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"

namespace mneme::format {

inline constexpr std::array<uint8_t, 8> kPackMagic{0x89, 'M', 'N', 'P', 0x0d, 0x0a, 0x1a, 0x0a};
inline constexpr uint32_t kRecordMagic = 0x4345524d;  // "MREC"
inline constexpr size_t kPackHeaderBytes = 32;
inline constexpr size_t kRecordHeaderBytes = 48;

enum class RecordType : uint8_t {
  ChunkZstd = 1,  ///< one zstd frame
  ChunkRaw = 2,   ///< the bytes themselves
  Table = 3,      ///< a snapshot table, see table.h
  Manifest = 4,   ///< only in an exported file: a manifest's text
  Code = 5,       ///< only in an exported file: a code file's bytes
  Tolerances = 6, ///< only in an exported file, at most one: the text of a tolerance.json
};

[[nodiscard]] constexpr bool isChunk(RecordType type) { return type == RecordType::ChunkZstd || type == RecordType::ChunkRaw; }

/// What stands in front of every payload in a pack.
struct RecordHeader {
  RecordType type = RecordType::ChunkRaw;
  uint64_t payloadBytes = 0;  ///< that follow
  uint64_t rawBytes = 0;      ///< of the content: decompressed
  Hash128 hash;               ///< of the content
};

[[nodiscard]] std::array<std::byte, kPackHeaderBytes> encodePackHeader();
/// CorruptRecording for another magic, checksum or major version; a Git LFS pointer is named as such.
[[nodiscard]] Expected<void> checkPackHeader(std::span<const std::byte> start, const std::string& origin);

[[nodiscard]] std::array<std::byte, kRecordHeaderBytes> encodeRecordHeader(const RecordHeader& header);
/// nullopt unless magic, checksum, type and the lengths' relation are right.
[[nodiscard]] std::optional<RecordHeader> decodeRecordHeader(std::span<const std::byte, kRecordHeaderBytes> bytes);

/// [A-Za-z0-9_-]+, at most 64 characters: no path can be spelled with it.
[[nodiscard]] bool isPackName(std::string_view name);
/// <32 hexadecimal digits>.<extension of [a-z0-9]>, at most 64 characters.
[[nodiscard]] bool isCodeFileName(std::string_view name);

[[nodiscard]] std::filesystem::path packPath(const std::filesystem::path& set, const std::string& pack);
[[nodiscard]] std::filesystem::path codePath(const std::filesystem::path& set, const std::string& file);

/// Little-endian numbers, whatever the machine.
template <typename Number>
void storeLittle(std::byte* out, Number value) {
  for (size_t i = 0; i < sizeof(Number); ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
}
template <typename Number>
[[nodiscard]] Number loadLittle(const std::byte* in) {
  Number value = 0;
  for (size_t i = 0; i < sizeof(Number); ++i) value = static_cast<Number>(value | static_cast<Number>(in[i]) << (8 * i));
  return value;
}

}  // namespace mneme::format
