// SPDX-License-Identifier: Apache-2.0
/// Builds packs and manifests whose hashes all fit and whose numbers are the fuzzer's.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "format/layout.h"
#include "format/manifest.h"
#include "format/table.h"

namespace mneme::fuzz {

using Bytes = std::vector<std::byte>;

class HostilePack {
 public:
  explicit HostilePack(FuzzedDataProvider& input) : input_(input) {
    const auto header = format::encodePackHeader();
    bytes_.assign(header.begin(), header.end());
  }

  /// A recording with its tables and chunks in this pack; its manifest, not yet written.
  format::Manifest addRecording() {
    const size_t chunks = input_.ConsumeIntegralInRange<size_t>(0, 4);
    for (size_t i = 0; i < chunks; ++i) addChunk();
    format::SnapshotTable table = randomTable();
    format::Manifest manifest;
    manifest.kernel = "k" + std::to_string(input_.ConsumeIntegral<uint8_t>());
    manifest.shortName = "k";
    manifest.demangled = input_.ConsumeRandomLengthString(8);
    manifest.hash8 = format::identityHash(manifest);
    for (const auto& region : table.regions) manifest.regions.push_back(region.region);
    if (input_.ConsumeBool()) wrongRegions(manifest);
    manifest.before = addTable(table);
    if (input_.ConsumeBool()) table = randomTable(table);
    table.kind = pick(format::SnapshotKind::After, format::SnapshotKind::Before);
    manifest.after = addTable(table);
    return manifest;
  }

  uint64_t addRecord(format::RecordType type, const Bytes& payload, uint64_t rawBytes, const Hash128& hash) {
    const uint64_t offset = bytes_.size();
    const auto header = format::encodeRecordHeader({type, payload.size(), rawBytes, hash});
    bytes_.insert(bytes_.end(), header.begin(), header.end());
    bytes_.insert(bytes_.end(), payload.begin(), payload.end());
    return offset;
  }
  uint64_t addWhole(format::RecordType type, const Bytes& payload) {
    return addRecord(type, payload, payload.size(), hash128(std::span<const std::byte>(payload)));
  }

  [[nodiscard]] Bytes& bytes() { return bytes_; }

 private:
  /// The right one three times out of four.
  template <typename Value>
  Value pick(Value right, Value wrong) {
    return input_.ConsumeIntegralInRange<int>(0, 3) == 3 ? wrong : right;
  }

  Bytes content() {
    if (input_.ConsumeBool())
      return Bytes(input_.ConsumeIntegralInRange<size_t>(1, format::kChunkBytes), std::byte{input_.ConsumeIntegral<uint8_t>()});
    const auto text = input_.ConsumeRandomLengthString(64);
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
  }

  void addChunk() {
    const Bytes plain = content();
    Bytes stored = plain;
    auto type = format::RecordType::ChunkRaw;
    if (input_.ConsumeBool()) {
      type = format::RecordType::ChunkZstd;
      stored.resize(ZSTD_compressBound(plain.size()));
      stored.resize(ZSTD_compress(stored.data(), stored.size(), plain.data(), plain.size(), 1));
      if (!stored.empty()) stored.back() = pick(stored.back(), std::byte{0});
    }
    const auto hash = hash128(std::span<const std::byte>(plain));
    const auto raw = pick<uint64_t>(plain.size(), input_.ConsumeIntegral<uint32_t>());
    const auto offset = addRecord(type, stored, raw, hash);
    known_.push_back({offset, 0, static_cast<uint32_t>(stored.size()), hash});
    sizes_.push_back(plain.size());
  }

  format::SnapshotTable randomTable(const format::SnapshotTable& like = {}) {
    format::SnapshotTable table{pick(format::SnapshotKind::Before, format::SnapshotKind::After), like.regions};
    if (like.regions.empty()) table.regions.resize(input_.ConsumeIntegralInRange<size_t>(0, 3));
    for (auto& region : table.regions) {
      if (like.regions.empty()) region.region = randomRegion();
      region.chunks.clear();
      const size_t entries = input_.ConsumeIntegralInRange<size_t>(0, 4);
      for (size_t i = 0; i < entries; ++i) region.chunks.push_back(randomEntry(i));
    }
    return table;
  }

  format::Region randomRegion() {
    format::Region region;
    auto& range = region.range;
    range.address = pick<uint64_t>(uint64_t{1} << 40, input_.ConsumeIntegral<uint64_t>());
    range.size = sizes_.empty() || input_.ConsumeBool() ? input_.ConsumeIntegralInRange<uint64_t>(0, 200000)
                                                        : input_.PickValueInArray({sizes_.front(), sizes_.back()});
    range.size = pick<uint64_t>(range.size, input_.ConsumeIntegral<uint64_t>());
    range.kind = static_cast<MemoryKind>(input_.ConsumeIntegralInRange<int>(0, 5));
    range.name = input_.ConsumeRandomLengthString(4);
    region.element = static_cast<format::ElementType>(input_.ConsumeIntegralInRange<int>(0, 8));
    region.changedBytes = input_.ConsumeIntegral<uint16_t>();
    return region;
  }

  format::ChunkEntry randomEntry(size_t position) {
    format::ChunkEntry entry;
    if (!known_.empty()) entry = known_[input_.ConsumeIntegralInRange<size_t>(0, known_.size() - 1)];
    if (input_.ConsumeIntegralInRange<int>(0, 3) == 3) entry = {};
    entry.index = pick(static_cast<uint32_t>(position), input_.ConsumeIntegral<uint32_t>());
    entry.offset = pick(entry.offset, input_.ConsumeIntegral<uint64_t>());
    entry.storedBytes = pick(entry.storedBytes, input_.ConsumeIntegral<uint32_t>());
    return entry;
  }

  format::TableReference addTable(const format::SnapshotTable& table) {
    const Bytes payload = format::encodeTable(table);
    const auto hash = hash128(std::span<const std::byte>(payload));
    const auto offset = addRecord(format::RecordType::Table, payload, payload.size(), hash);
    return {"p", pick(offset, input_.ConsumeIntegral<uint64_t>()), pick<uint64_t>(payload.size(), input_.ConsumeIntegral<uint64_t>()), hash};
  }

  void wrongRegions(format::Manifest& manifest) {
    if (!manifest.regions.empty() && input_.ConsumeBool()) manifest.regions.pop_back();
    else manifest.regions.push_back(randomRegion());
  }

  FuzzedDataProvider& input_;
  Bytes bytes_;
  std::vector<format::ChunkEntry> known_;
  std::vector<uint64_t> sizes_;
};

inline Bytes bytesOf(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace mneme::fuzz
