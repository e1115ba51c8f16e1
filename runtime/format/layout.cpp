// SPDX-License-Identifier: Apache-2.0
/// Encodes and checks pack headers; see layout.h.
#include "format/layout.h"

#include <algorithm>
#include <cstring>

#include "format/lfs.h"
#include "format/manifest.h"
#include "mneme/version.h"

namespace mneme::format {
namespace {

/// The first eight bytes of the content hash: enough against flipped bits in a header.
uint64_t checksum(std::span<const std::byte> bytes) {
  auto hash = hash128(bytes);
  return loadLittle<uint64_t>(reinterpret_cast<const std::byte*>(hash.bytes.data()));
}

bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool isKnownType(uint8_t type) { return type >= 1 && type <= 6; }

/// Raw content is as long as its payload; compressed content is longer and never more than a chunk.
bool lengthsFit(const RecordHeader& header) {
  if (!isChunk(header.type)) return header.payloadBytes == header.rawBytes;
  if (header.rawBytes == 0 || header.rawBytes > kChunkBytes) return false;
  return header.type == RecordType::ChunkRaw ? header.payloadBytes == header.rawBytes
                                             : header.payloadBytes < header.rawBytes;
}

}  // namespace

std::array<std::byte, kPackHeaderBytes> encodePackHeader() {
  std::array<std::byte, kPackHeaderBytes> out{};
  std::memcpy(out.data(), kPackMagic.data(), kPackMagic.size());
  storeLittle<uint32_t>(out.data() + 8, kFormatMajor);
  storeLittle<uint32_t>(out.data() + 12, kFormatMinor);
  storeLittle<uint64_t>(out.data() + 24, checksum(std::span(out).first(24)));
  return out;
}

Expected<void> checkPackHeader(std::span<const std::byte> start, const std::string& origin) {
  std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (isLfsPointer(text)) return lfsError(origin);
  auto corrupt = [&](const std::string& what) { return Error(ErrorCode::CorruptRecording, origin + ": " + what); };
  if (start.size() < kPackHeaderBytes || std::memcmp(start.data(), kPackMagic.data(), kPackMagic.size()) != 0)
    return corrupt("not a pack of a recording set");
  auto major = loadLittle<uint32_t>(start.data() + 8);
  if (loadLittle<uint64_t>(start.data() + 24) != checksum(start.first(24))) return corrupt("its header is damaged");
  if (major != kFormatMajor)
    return corrupt("pack version " + std::to_string(major) + "; this Mneme (" MNEME_VERSION ") reads version " +
                   std::to_string(kFormatMajor));
  return {};
}

std::array<std::byte, kRecordHeaderBytes> encodeRecordHeader(const RecordHeader& header) {
  std::array<std::byte, kRecordHeaderBytes> out{};
  storeLittle<uint32_t>(out.data(), kRecordMagic);
  out[4] = static_cast<std::byte>(header.type);
  storeLittle<uint64_t>(out.data() + 8, header.payloadBytes);
  storeLittle<uint64_t>(out.data() + 16, header.rawBytes);
  std::memcpy(out.data() + 24, header.hash.bytes.data(), header.hash.bytes.size());
  storeLittle<uint64_t>(out.data() + 40, checksum(std::span(out).first(40)));
  return out;
}

std::optional<RecordHeader> decodeRecordHeader(std::span<const std::byte, kRecordHeaderBytes> bytes) {
  if (loadLittle<uint32_t>(bytes.data()) != kRecordMagic) return std::nullopt;
  if (loadLittle<uint64_t>(bytes.data() + 40) != checksum(bytes.first(40))) return std::nullopt;
  if (!isKnownType(static_cast<uint8_t>(bytes[4]))) return std::nullopt;
  RecordHeader header;
  header.type = static_cast<RecordType>(bytes[4]);
  header.payloadBytes = loadLittle<uint64_t>(bytes.data() + 8);
  header.rawBytes = loadLittle<uint64_t>(bytes.data() + 16);
  std::memcpy(header.hash.bytes.data(), bytes.data() + 24, header.hash.bytes.size());
  if (!lengthsFit(header)) return std::nullopt;
  return header;
}

bool isPackName(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), isWordCharacter);
}

bool isCodeFileName(std::string_view name) {
  if (name.size() < 34 || name.size() > 64 || name[32] != '.') return false;
  auto extension = name.substr(33);
  return hashFromHex(name.substr(0, 32)) && std::all_of(extension.begin(), extension.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
         });
}

std::filesystem::path packPath(const std::filesystem::path& set, const std::string& pack) {
  return set / "data" / (pack + ".pack");
}

std::filesystem::path codePath(const std::filesystem::path& set, const std::string& file) { return set / "code" / file; }

}  // namespace mneme::format
