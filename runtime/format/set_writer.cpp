// SPDX-License-Identifier: Apache-2.0
/// Writes recordings: chunks, tables and code first, flushed, then the manifest by rename; a failure rolls back.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <map>
#include <system_error>

#include "format/chunk_encoder.h"
#include "format/layout.h"
#include "format/pack_writer.h"
#include "format/recording_set.h"
#include "format/set_files.h"

namespace mneme::format {
namespace fs = std::filesystem;
namespace {

Error invalid(const std::string& what) { return {ErrorCode::InvalidArgument, what}; }

/// Indices ascending and inside the region; the source as long as those chunks together.
Expected<void> checkChanged(const Region& region, const std::vector<uint32_t>& changed, uint64_t sourceBytes) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < changed.size(); ++i) {
    if (changed[i] >= chunkCount(region.range.size) || (i > 0 && changed[i] <= changed[i - 1]))
      return invalid("changed chunks are not ascending inside their region");
    bytes += chunkLength(region.range.size, changed[i]);
  }
  if (bytes != sourceBytes) return invalid("changed bytes do not fit the changed chunks");
  return {};
}

class SetWriterImpl final : public SetWriter {
 public:
  explicit SetWriterImpl(Options options) : options_(std::move(options)), process_(::getpid()) {}

  ~SetWriterImpl() override { discardEmptyPack(); }

  Expected<CodeReference> addCode(CodeKind kind, std::span<const std::byte> bytes, const std::string& extension) override {
    CodeReference reference;
    reference.kind = kind;
    reference.hash = hash128(bytes);
    reference.file = toHex(reference.hash) + "." + extension;
    if (!isCodeFileName(reference.file)) return invalid("'" + extension + "' is not an extension for code");
    if (!written_.contains(reference.file)) pending_.try_emplace(reference.file, bytes.begin(), bytes.end());
    return reference;
  }

  Expected<Added> add(Manifest& manifest, std::span<const RegionSource> before,
                      std::span<const std::vector<uint32_t>> changedChunks, std::span<const RegionSource> after) override {
    try {
      if (auto valid = check(manifest, before, changedChunks, after); !valid) return std::move(valid).error();
      if (auto opened = openPack(); !opened) return std::move(opened).error();
      uint64_t goodEnd = pack_->end();
      auto added = write(manifest, before, changedChunks, after);
      if (!added) pack_->rollback(goodEnd);
      return added;
    } catch (const std::exception& problem) {
      return Error(ErrorCode::Io, std::string("writing a recording: ") + problem.what());
    }
  }

  uint64_t bytesWritten() const override { return pack_ ? pack_->end() : 0; }

  Expected<void> finish() override {
    if (finished_) return {};
    finished_ = true;
    if (!pack_) return {};
    discardEmptyPack();
    if (pack_) syncDirectory(options_.directory);
    pack_.reset();
    auto removed = removeUnusedPacks(options_.directory, replacedPacks_);
    if (!removed) return std::move(removed).error();
    return {};
  }

 private:
  using Changed = std::span<const std::vector<uint32_t>>;
  using Sources = std::span<const RegionSource>;

  Expected<void> check(const Manifest& manifest, Sources before, Changed changed, Sources after) {
    size_t regions = manifest.regions.size();
    if (finished_) return invalid("the writer is finished");
    if (manifest.kernel.empty()) return invalid("a recording needs its kernel's name");
    if (before.size() != regions || changed.size() != regions || after.size() != regions)
      return invalid("regions, their bytes and their changes differ in number");
    for (size_t i = 0; i < regions; ++i) {
      const auto& range = manifest.regions[i].range;
      if (before[i].size != range.size || range.size > kMaxRegionBytes) return invalid("a region's bytes do not fit its size");
      if (auto fits = checkChanged(manifest.regions[i], changed[i], after[i].size); !fits) return fits;
    }
    return {};
  }

  Expected<void> openPack() {
    if (pack_) return {};
    if (auto created = createSet(options_.directory); !created) return created;
    SetLock shared(options_.directory, SetLock::Mode::Shared);
    auto pack = PackWriter::create(options_.directory, "r" + std::to_string(options_.rank), options_.maxBytes);
    if (!pack) return std::move(pack).error();
    pack_ = std::move(*pack);
    syncDirectory(options_.directory / "data");
    return {};
  }

  Expected<Added> write(Manifest& manifest, Sources before, Changed changed, Sources after) {
    manifest.unlistedRegions = 0;
    for (size_t i = 0; i < manifest.regions.size(); ++i) {
      manifest.regions[i].changed = !changed[i].empty();
      manifest.regions[i].changedBytes = after[i].size;
    }
    auto beforeTable = writeBefore(manifest, before);
    if (!beforeTable) return std::move(beforeTable).error();
    auto afterTable = writeAfter(manifest, changed, after);
    if (!afterTable) return std::move(afterTable).error();
    manifest.before = std::move(*beforeTable);
    manifest.after = std::move(*afterTable);
    if (auto stored = writePendingCode(); !stored) return std::move(stored).error();
    if (auto flushed = pack_->sync(); !flushed) return std::move(flushed).error();
    return publish(manifest);
  }

  Expected<TableReference> writeBefore(const Manifest& manifest, Sources before) {
    SnapshotTable table{SnapshotKind::Before, {}};
    for (const auto& region : manifest.regions) {
      auto& entries = table.regions.emplace_back(RegionTable{region, {}}).chunks;
      entries.resize(chunkCount(region.range.size));
      for (uint32_t i = 0; i < entries.size(); ++i) entries[i].index = i;
    }
    auto stored = store(table, before);
    if (!stored) return std::move(stored).error();
    for (auto& region : table.regions) std::erase_if(region.chunks, [](const ChunkEntry& e) { return e.offset == 0; });
    return pack_->appendTable(encodeTable(table));
  }

  Expected<TableReference> writeAfter(const Manifest& manifest, Changed changed, Sources after) {
    SnapshotTable table{SnapshotKind::After, {}};
    for (size_t i = 0; i < changed.size(); ++i) {
      auto& entries = table.regions.emplace_back(RegionTable{manifest.regions[i], {}}).chunks;
      for (uint32_t index : changed[i]) entries.push_back({0, index, 0, {}});
    }
    auto stored = store(table, after);
    if (!stored) return std::move(stored).error();
    return pack_->appendTable(encodeTable(table));
  }

  Expected<void> store(SnapshotTable& table, Sources sources) {
    std::vector<ChunkRun> runs;
    for (size_t i = 0; i < sources.size(); ++i)
      runs.push_back({&sources[i], table.regions[i].region.range.size, &table.regions[i].chunks});
    return storeChunks(*pack_, runs, options_.compressionThreads);
  }

  /// Only while the pack is locked: a collector leaves code alone as long as any writer lives.
  Expected<void> writePendingCode() {
    for (auto it = pending_.begin(); it != pending_.end(); it = pending_.erase(it)) {
      auto path = codePath(options_.directory, it->first);
      std::error_code ignored;
      bool there = fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) == it->second.size();
      if (!there)
        if (auto stored = writeAtomically(path, std::span<const std::byte>(it->second)); !stored) return stored;
      written_.insert(it->first);
    }
    return {};
  }

  Expected<Added> publish(Manifest& manifest) {
    if (manifest.demangled.empty()) manifest.demangled = demangle(manifest.kernel);
    manifest.shortName = shortNameOf(manifest.demangled);
    SetLock shared(options_.directory, SetLock::Mode::Shared);
    auto added = options_.append ? publishAppended(manifest) : publishReplacing(manifest);
    if (added) usesPack_ = true;
    return added;
  }

  Expected<Added> publishAppended(Manifest& manifest) {
    while (true) {
      manifest.hash8 = identityHash(manifest);
      auto path = options_.directory / manifestFileName(manifest);
      auto published = publishNew(path, toJson(manifest));
      if (!published) return std::move(published).error();
      if (*published) return Added{path, false};
      ++manifest.ordinal;
    }
  }

  Expected<Added> publishReplacing(Manifest& manifest) {
    manifest.hash8 = identityHash(manifest);
    auto path = options_.directory / manifestFileName(manifest);
    std::error_code ignored;
    bool exists = fs::exists(path, ignored);
    auto text = exists ? readText(path, kMaxManifestBytes) : Expected<std::string>(std::string());
    auto old = parseManifest(text ? *text : "", path.string());
    if (old && !sameIdentity(*old, manifest))
      return invalid(path.string() + " belongs to another launch of the same name hash");
    if (auto written = writeAtomically(path, toJson(manifest)); !written) return std::move(written).error();
    if (old)
      for (const auto& pack : {old->before.pack, old->after.pack})
        if (pack != pack_->name()) replacedPacks_.insert(pack);
    return Added{path, exists};
  }

  static bool sameIdentity(const Manifest& a, const Manifest& b) {
    return a.kernel == b.kernel && a.shape == b.shape && a.ordinal == b.ordinal && a.rank == b.rank && a.tag == b.tag;
  }

  /// A pack without a recording is nobody's. Not in a forked child: the file is the parent's.
  void discardEmptyPack() {
    if (!pack_ || usesPack_ || process_ != ::getpid()) return;
    pack_->remove();
    pack_.reset();
  }

  Options options_;
  pid_t process_;
  std::unique_ptr<PackWriter> pack_;
  std::map<std::string, std::vector<std::byte>> pending_;  // code by file name, not on disk yet
  std::set<std::string> written_;
  std::set<std::string> replacedPacks_;
  bool usesPack_ = false;
  bool finished_ = false;
};

}  // namespace

Expected<std::unique_ptr<SetWriter>> SetWriter::open(Options options) {
  if (options.directory.empty()) return invalid("a recording set needs a directory");
  return std::unique_ptr<SetWriter>(std::make_unique<SetWriterImpl>(std::move(options)));
}

}  // namespace mneme::format
