// SPDX-License-Identifier: Apache-2.0
/// Opens one recording: manifest, both tables, and the chunks when asked; see recording_set.h.
#include "format/recording.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "format/layout.h"
#include "format/lfs.h"
#include "format/parallel.h"
#include "format/set_files.h"

namespace mneme::format {
namespace {

constexpr uint64_t kMaxCodeBytes = uint64_t{1} << 30;
constexpr std::array<std::byte, kChunkBytes> kZeroChunk{};

Error corrupt(const std::filesystem::path& path, const std::string& what) {
  return {ErrorCode::CorruptRecording, path.string() + ": " + what};
}

/// The table has every region; those that the manifest lists too must be the same, and the manifest's annotations win.
Expected<void> mergeRegions(Manifest& manifest, const SnapshotTable& table, const std::filesystem::path& path) {
  size_t listed = manifest.regions.size();
  if (table.regions.size() != listed + manifest.unlistedRegions)
    return corrupt(path, "its regions do not fit those of its pack");
  for (size_t i = 0; i < listed; ++i) {
    const auto& mine = manifest.regions[i].range;
    const auto& stored = table.regions[i].region.range;
    if (mine.address != stored.address || mine.size != stored.size || mine.kind != stored.kind)
      return corrupt(path, "region " + std::to_string(i) + " does not fit that of its pack");
  }
  for (size_t i = listed; i < table.regions.size(); ++i) manifest.regions.push_back(table.regions[i].region);
  manifest.unlistedRegions = 0;
  return {};
}

bool sameRegions(const SnapshotTable& a, const SnapshotTable& b) {
  return std::equal(a.regions.begin(), a.regions.end(), b.regions.begin(), b.regions.end(), [](const auto& x, const auto& y) {
    return x.region.range.address == y.region.range.address && x.region.range.size == y.region.range.size;
  });
}

std::vector<ChunkRequest> requestsOf(const SnapshotTable& table) {
  std::vector<ChunkRequest> out;
  for (size_t r = 0; r < table.regions.size(); ++r)
    for (size_t p = 0; p < table.regions[r].chunks.size(); ++p) {
      const auto& entry = table.regions[r].chunks[p];
      auto bytes = static_cast<uint32_t>(chunkLength(table.regions[r].region.range.size, entry.index));
      if (entry.offset != 0) out.push_back({entry, static_cast<uint32_t>(r), static_cast<uint32_t>(p), bytes});
    }
  return out;
}

Expected<void> sendZeroChunk(size_t region, uint64_t regionBytes, uint64_t index, const Recording::ChunkSink& sink) {
  return sink(region, index * kChunkBytes, std::span(kZeroChunk).first(chunkLength(regionBytes, index)));
}

/// The chunks of region r without stored bytes: of `before` all that are not listed, of `after` the listed zero ones.
Expected<void> sendZeroChunks(const SnapshotTable& table, size_t r, const Recording::ChunkSink& sink) {
  const auto& region = table.regions[r];
  uint64_t size = region.region.range.size, next = 0;
  bool unlistedAreZero = table.kind == SnapshotKind::Before;
  for (const auto& entry : region.chunks) {
    for (; unlistedAreZero && next < entry.index; ++next)
      if (auto sent = sendZeroChunk(r, size, next, sink); !sent) return sent;
    if (entry.offset == 0)
      if (auto sent = sendZeroChunk(r, size, entry.index, sink); !sent) return sent;
    next = uint64_t{entry.index} + 1;
  }
  for (; unlistedAreZero && next < chunkCount(size); ++next)
    if (auto sent = sendZeroChunk(r, size, next, sink); !sent) return sent;
  return {};
}

Expected<void> readSnapshot(const PackReader& pack, const SnapshotTable& table, unsigned threads, const Recording::ChunkSink& sink) {
  auto stored = pack.readChunks(requestsOf(table), threads, [&](const ReadChunk& chunk) {
    return sink(chunk.request.region, uint64_t{chunk.request.entry.index} * kChunkBytes, chunk.content);
  });
  if (!stored) return stored;
  return runPieces(threads, table.regions.size(),
                   [&]() -> PieceWorker { return [&](uint64_t r) { return sendZeroChunks(table, r, sink); }; });
}

}  // namespace

Expected<std::unique_ptr<StoredRecording>> StoredRecording::open(const std::filesystem::path& path) {
  auto first = openOnce(path);
  if (first || first.error().code() != ErrorCode::CorruptRecording) return first;
  // A collector may have moved the chunks between our two looks; then the manifest is another one by now.
  auto second = openOnce(path);
  if (second) return second;
  return first;
}

Expected<std::unique_ptr<StoredRecording>> StoredRecording::openOnce(const std::filesystem::path& path) {
  if (isSetFile(path))
    return Error(ErrorCode::InvalidArgument, path.string() + ": is the set's own file, not a recording; recordings are named "
                                             "<kernel>.<hash8>.json, `mneme ls " + setOf(path).string() + "` lists them");
  auto text = readText(path, kMaxManifestBytes);
  if (!text) return std::move(text).error();
  if (auto readable = checkSet(setOf(path)); !readable) return std::move(readable).error();
  auto manifest = parseManifest(*text, path.string());
  if (!manifest) return std::move(manifest).error();
  std::unique_ptr<StoredRecording> out(new StoredRecording(path, std::move(*manifest), std::move(*text)));
  auto loaded = out->openPacks();
  if (loaded) loaded = out->loadTables();
  if (!loaded) return std::move(loaded).error().context(path.string());
  return out;
}

Expected<std::unique_ptr<StoredRecording>> StoredRecording::fromExport(std::shared_ptr<const PackReader> pack,
                                                                       std::string manifestText) {
  auto manifest = parseManifest(manifestText, pack->path().string());
  if (!manifest) return std::move(manifest).error();
  std::unique_ptr<StoredRecording> out(new StoredRecording(pack->path(), std::move(*manifest), std::move(manifestText)));
  out->beforePack_ = out->afterPack_ = std::move(pack);
  if (auto loaded = out->loadTables(); !loaded) return std::move(loaded).error();
  return out;
}

Expected<void> StoredRecording::openPacks() {
  auto before = PackReader::open(set(), manifest_.before.pack);
  if (!before) return std::move(before).error();
  beforePack_ = afterPack_ = std::move(*before);
  if (manifest_.after.pack == manifest_.before.pack) return {};
  auto after = PackReader::open(set(), manifest_.after.pack);
  if (!after) return std::move(after).error();
  afterPack_ = std::move(*after);
  return {};
}

Expected<void> StoredRecording::loadTables() {
  auto before = beforePack_->table(manifest_.before, SnapshotKind::Before);
  if (!before) return std::move(before).error();
  auto after = afterPack_->table(manifest_.after, SnapshotKind::After);
  if (!after) return std::move(after).error();
  before_ = std::move(*before);
  after_ = std::move(*after);
  if (!sameRegions(before_, after_)) return corrupt(path_, "the regions of its two snapshots differ");
  for (const auto& region : after_.regions) {
    auto& changed = changed_.emplace_back();
    for (const auto& entry : region.chunks) changed.push_back(entry.index);
  }
  return mergeRegions(manifest_, before_, path_);
}

Expected<std::vector<std::byte>> StoredRecording::code(const CodeReference& reference) {
  if (!isCodeFileName(reference.file)) return corrupt(path_, "'" + reference.file.substr(0, 80) + "' is not a code file's name");
  auto path = codePath(set(), reference.file);
  std::error_code failed;
  if (std::filesystem::is_symlink(path, failed)) return corrupt(path, "is a symbolic link");
  auto bytes = readBytes(path, kMaxCodeBytes);
  if (!bytes) return Error(ErrorCode::CorruptRecording, bytes.error().message());
  if (isLfsPointer({reinterpret_cast<const char*>(bytes->data()), bytes->size()})) return lfsError(path.string());
  if (hash128(std::span<const std::byte>(*bytes)) != reference.hash) return corrupt(path, "its bytes do not fit their hash (edited or damaged)");
  return bytes;
}

Expected<void> StoredRecording::readBefore(unsigned threads, const ChunkSink& sink) {
  return readSnapshot(*beforePack_, before_, threads, sink);
}

Expected<void> StoredRecording::readAfter(unsigned threads, const ChunkSink& sink) {
  return readSnapshot(*afterPack_, after_, threads, sink);
}

const std::vector<uint32_t>& StoredRecording::changedChunks(size_t region) {
  static const std::vector<uint32_t> kNone;
  return region < changed_.size() ? changed_[region] : kNone;
}

std::optional<Hash128> StoredRecording::beforeHash(size_t region, uint32_t chunk) const {
  if (region >= before_.regions.size()) return std::nullopt;
  const auto& [what, chunks] = before_.regions[region];
  if (chunk >= chunkCount(what.range.size)) return std::nullopt;
  auto entry = std::lower_bound(chunks.begin(), chunks.end(), chunk,
                                [](const ChunkEntry& each, uint32_t index) { return each.index < index; });
  if (entry != chunks.end() && entry->index == chunk && entry->offset != 0) return entry->hash;
  static const Hash128 kWholeZero = hash128(std::span<const std::byte>(kZeroChunk));
  auto length = chunkLength(what.range.size, chunk);
  return length == kChunkBytes ? kWholeZero : hash128(std::span<const std::byte>(kZeroChunk).first(length));
}

Expected<void> StoredRecording::readStored(SnapshotKind kind, unsigned threads, const ReadChunkSink& sink) const {
  bool before = kind == SnapshotKind::Before;
  return (before ? beforePack_ : afterPack_)->readChunks(requestsOf(before ? before_ : after_), threads, sink);
}

Expected<std::unique_ptr<Recording>> Recording::open(const std::filesystem::path& manifest) {
  auto opened = StoredRecording::open(manifest);
  if (!opened) return std::move(opened).error();
  return std::unique_ptr<Recording>(std::move(*opened));
}

}  // namespace mneme::format
