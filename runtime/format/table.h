// SPDX-License-Identifier: Apache-2.0
/// A snapshot table: which chunks of which region lie where in the pack. Internal to format/.
/// In a `before` table a chunk that is not listed is all zero; in an `after` table it did not change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "format/manifest.h"

namespace mneme::format {

enum class SnapshotKind : uint32_t { Before = 1, After = 2 };

/// One chunk. `offset` is of its record header in the same pack; 0 (where the pack's header is) means all zero.
struct ChunkEntry {
  uint64_t offset = 0;
  uint32_t index = 0;        ///< in the region, times kChunkBytes
  uint32_t storedBytes = 0;  ///< payload of its record; 0 for zero chunks
  Hash128 hash;              ///< of its content; all 0 for zero chunks
};

struct RegionTable {
  Region region;
  std::vector<ChunkEntry> chunks;  ///< ascending index
};

struct SnapshotTable {
  SnapshotKind kind = SnapshotKind::Before;
  std::vector<RegionTable> regions;
};

[[nodiscard]] std::vector<std::byte> encodeTable(const SnapshotTable& table);
/// Checks every count against the bytes that are there before it is used.
[[nodiscard]] Expected<SnapshotTable> decodeTable(std::span<const std::byte> bytes, SnapshotKind expected,
                                                  const std::string& origin);

/// Chunks in a region of `size` bytes, and the length of one of them.
[[nodiscard]] constexpr uint64_t chunkCount(uint64_t size) { return size / kChunkBytes + (size % kChunkBytes != 0); }
[[nodiscard]] constexpr uint64_t chunkLength(uint64_t size, uint64_t index) {
  return std::min(kChunkBytes, size - index * kChunkBytes);
}

inline constexpr uint64_t kMaxRegionBytes = uint64_t{1} << 47;    ///< more than any device can address
inline constexpr uint64_t kMaxSnapshotBytes = uint64_t{1} << 48;  ///< all regions together

}  // namespace mneme::format
