// SPDX-License-Identifier: Apache-2.0
/// Turns regions into stored chunks: read, hash, compress, append, on a few threads. Internal to format/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "format/pack_writer.h"
#include "format/recording_set.h"
#include "format/table.h"

namespace mneme::format {

/// The chunks of one region to store. `entries` have their indices set; the source holds these chunks, concatenated.
struct ChunkRun {
  const RegionSource* source = nullptr;
  uint64_t regionBytes = 0;
  std::vector<ChunkEntry>* entries = nullptr;
};

/// Fills in every entry; an entry whose chunk is all zero keeps offset 0.
[[nodiscard]] Expected<void> storeChunks(PackWriter& pack, std::span<const ChunkRun> runs, unsigned threads);

}  // namespace mneme::format
