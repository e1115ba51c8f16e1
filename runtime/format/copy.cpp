// SPDX-License-Identifier: Apache-2.0
/// Copies recordings between packs; see copy.h.
#include "format/copy.h"

#include <algorithm>
#include <cstring>

#include "format/json_fields.h"
#include "format/redact.h"

namespace mneme::format {
namespace {

constexpr unsigned kThreads = 2;

Expected<void> appendOne(PackWriter& pack, const EncodedChunk& chunk, ChunkEntry& entry) {
  ChunkEntry* target = &entry;
  return pack.append({&chunk, 1}, {&target, 1});
}

Expected<TableReference> copySnapshot(const StoredRecording& recording, SnapshotKind kind, PackWriter& pack, bool redact) {
  SnapshotTable table = kind == SnapshotKind::Before ? recording.before() : recording.after();
  auto done = recording.readStored(kind, kThreads, [&](const ReadChunk& chunk) -> Expected<void> {
    auto& entry = table.regions[chunk.request.region].chunks[chunk.request.position];
    auto element = recording.manifest().regions[chunk.request.region].element;
    if (!redact || !isFloatingPoint(element)) return appendOne(pack, {chunk.header, chunk.payload}, entry);
    auto noise = noiseOf(element, chunk.content.size(), uint64_t{entry.index} << 32 | chunk.request.region << 1 | (kind == SnapshotKind::After));
    return appendOne(pack, {{RecordType::ChunkRaw, noise.size(), noise.size(), hash128(noise)}, noise}, entry);
  });
  if (!done) return std::move(done).error();
  return pack.appendTable(encodeTable(table));
}

Expected<std::string> copyInto(const StoredRecording& recording, PackWriter& pack, bool redact) {
  auto before = copySnapshot(recording, SnapshotKind::Before, pack, redact);
  if (!before) return std::move(before).error();
  auto after = copySnapshot(recording, SnapshotKind::After, pack, redact);
  if (!after) return std::move(after).error();
  auto moved = withTables(recording.manifestText(), *before, *after);
  const auto& regions = recording.manifest().regions;
  bool touched = std::any_of(regions.begin(), regions.end(), [](const Region& region) { return isFloatingPoint(region.element); });
  if (!moved || !redact || !touched) return moved;
  auto manifest = parseManifest(*moved, recording.path().string());
  if (!manifest) return std::move(manifest).error();
  manifest->selfCheck.clear();
  manifest->redaction = Redaction::Memory;
  return toJson(*manifest);
}

}  // namespace

Expected<std::string> copyRecording(const StoredRecording& recording, PackWriter& pack, bool redact) {
  uint64_t goodEnd = pack.end();
  auto copied = copyInto(recording, pack, redact);
  if (!copied) pack.rollback(goodEnd);
  return copied;
}

}  // namespace mneme::format
