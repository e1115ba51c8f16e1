// SPDX-License-Identifier: Apache-2.0
/// Checking and collecting; see collect.h. The order of locks is what makes it safe: docs/format.md, "Collecting".
#include "format/collect.h"

#include <fcntl.h>
#include <unistd.h>

#include <map>
#include <system_error>
#include <unordered_set>

#include "format/copy.h"
#include "format/layout.h"
#include "format/recording.h"
#include "format/set_files.h"

namespace mneme::format {
namespace fs = std::filesystem;
namespace {

constexpr unsigned kThreads = 2;

uint64_t fileBytes(const fs::path& path) {
  std::error_code failed;
  auto size = fs::file_size(path, failed);
  return failed ? 0 : size;
}

std::vector<fs::path> codeFiles(const fs::path& set) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (fs::directory_iterator it(set / "code", failed), end; !failed && it != end; it.increment(failed))
    if (isCodeFileName(it->path().filename().string())) out.push_back(it->path());
  return out;
}

uint64_t storedBytes(const fs::path& set) {
  uint64_t bytes = 0;
  for (const auto& pack : filesIn(set / "data", ".pack")) bytes += fileBytes(pack);
  for (const auto& code : codeFiles(set)) bytes += fileBytes(code);
  return bytes;
}

/// One collection; the steps in order.
class Collector {
 public:
  explicit Collector(const fs::path& set) : set_(set) {}

  Expected<Collected> run() {
    result_.bytesBefore = storedBytes(set_);
    holdFreePacks();
    if (auto chosen = choose(); !chosen) return std::move(chosen).error();
    if (worthRepacking())
      if (auto done = repack(); !done) return std::move(done).error();
    if (auto done = publishAndRemove(); !done) return std::move(done).error();
    result_.bytesAfter = storedBytes(set_);
    return result_;
  }

 private:
  void holdFreePacks() {
    std::set<std::string> packs;
    for (const auto& path : filesIn(set_ / "data", ".pack"))
      if (isPackName(path.stem().string())) packs.insert(path.stem().string());
    held_ = holdPacks(set_, packs);
    result_.packsInUse = packs.size() - held_.size();
  }

  /// Whole recordings whose packs nobody writes, and what they need.
  Expected<void> choose() {
    auto manifests = listManifests(set_);
    if (!manifests) return std::move(manifests).error();
    for (const auto& path : *manifests) {
      auto recording = StoredRecording::open(path);
      if (!recording) {
        result_.leftAlone.push_back(recording.error().message());
        continue;
      }
      const auto& m = (*recording)->manifest();
      if (!held_.contains(m.before.pack) || !held_.contains(m.after.pack)) continue;
      chosen_.push_back(path);
      usedPacks_.insert({m.before.pack, m.after.pack});
      count((*recording)->before());
      count((*recording)->after());
      liveBytes_ += 2 * kRecordHeaderBytes + m.before.size + m.after.size;
    }
    return {};
  }

  void count(const SnapshotTable& table) {
    for (const auto& region : table.regions)
      for (const auto& entry : region.chunks)
        if (entry.offset != 0 && counted_.insert(entry.hash).second) liveBytes_ += kRecordHeaderBytes + entry.storedBytes;
  }

  [[nodiscard]] bool worthRepacking() const {
    uint64_t present = 0;
    for (const auto& pack : usedPacks_) present += fileBytes(packPath(set_, pack));
    return usedPacks_.size() > 1 || present > liveBytes_ + kPackHeaderBytes;
  }

  Expected<void> repack() {
    auto pack = PackWriter::create(set_, "gc", 0);
    if (!pack) return std::move(pack).error();
    pack_ = std::move(*pack);
    auto copied = copyAll();
    if (copied) copied = pack_->sync();
    if (!copied) pack_->remove();
    return copied;
  }

  Expected<void> copyAll() {
    for (const auto& path : chosen_) {
      auto recording = StoredRecording::open(path);
      if (!recording) continue;  // removed or replaced meanwhile
      auto moved = copyRecording(**recording, *pack_, false);
      if (moved) moved_[path] = {(*recording)->manifestText(), std::move(*moved)};
      else if (moved.error().code() == ErrorCode::CorruptRecording) result_.leftAlone.push_back(path.string() + ": " + moved.error().message());
      else return std::move(moved).error();
    }
    return {};
  }

  Expected<void> publishAndRemove() {
    SetLock exclusive(set_, SetLock::Mode::Exclusive);
    if (!exclusive.held()) {
      if (pack_) pack_->remove();
      return Error(ErrorCode::Io, set_.string() + ": is locked by another process; try again");
    }
    if (auto done = publish(); !done) return done;
    auto used = references(set_);
    if (!used) return std::move(used).error();
    if (pack_ && !used->packs.contains(pack_->name())) pack_->remove();
    countRemovedPacks(*used);
    removeUnused(set_, held_, *used);
    // Asked under the lock: a writer locks its pack before it stores code, and cannot begin now.
    bool writing = writersAlive();
    if (!writing && used->unreadable.empty()) removeCode(*used);
    removeTemporaries(writing);
    return {};
  }

  bool writersAlive() {
    for (const auto& path : filesIn(set_ / "data", ".pack")) {
      auto name = path.stem().string();
      if (held_.contains(name) || (pack_ && name == pack_->name())) continue;
      auto locked = lockPack(path, O_RDONLY);
      if (!locked && locked.error().code() == ErrorCode::Unavailable) return true;
    }
    return false;
  }

  /// Manifests that somebody replaced since are theirs.
  Expected<void> publish() {
    for (const auto& [path, texts] : moved_) {
      auto now = readText(path, kMaxManifestBytes);
      if (!now || *now != texts.old) continue;
      if (auto written = writeAtomically(path, texts.moved); !written) return written;
    }
    return {};
  }

  void countRemovedPacks(const References& used) {
    if (!used.unreadable.empty()) return;
    for (const auto& [pack, fd] : held_) result_.packsRemoved += !used.packs.contains(pack);
  }

  void removeCode(const References& used) {
    for (const auto& path : codeFiles(set_))
      if (!used.code.contains(path.filename().string())) result_.codeRemoved += ::unlink(path.c_str()) == 0;
  }

  /// Under the exclusive lock every temporary in the set itself is a dead process's; those of code are while
  /// nobody writes.
  void removeTemporaries(bool writing) {
    auto stale = filesIn(set_, ".tmp");
    if (!writing)
      for (const auto& path : filesIn(set_ / "code", ".tmp")) stale.push_back(path);
    for (const auto& path : stale) result_.temporariesRemoved += ::unlink(path.c_str()) == 0;
  }

  struct Texts {
    std::string old, moved;
  };
  fs::path set_;
  Collected result_;
  HeldPacks held_;
  std::vector<fs::path> chosen_;
  std::set<std::string> usedPacks_;
  std::unordered_set<Hash128> counted_;
  uint64_t liveBytes_ = 0;
  std::unique_ptr<PackWriter> pack_;
  std::map<fs::path, Texts> moved_;
};

}  // namespace

Expected<void> verifyRecording(const fs::path& manifest, unsigned threads) {
  auto recording = StoredRecording::open(manifest);
  if (!recording) return std::move(recording).error();
  auto ignore = [](const ReadChunk&) { return Expected<void>(); };
  for (auto kind : {SnapshotKind::Before, SnapshotKind::After})
    if (auto done = (*recording)->readStored(kind, threads, ignore); !done) return std::move(done).error().context(manifest.string());
  for (const auto& reference : (*recording)->manifest().code)
    if (auto bytes = (*recording)->code(reference); !bytes) return std::move(bytes).error().context(manifest.string());
  return {};
}

Expected<uint64_t> removeRecordings(std::span<const fs::path> manifests) {
  std::map<fs::path, std::set<std::string>> packs;  // by set
  for (const auto& path : manifests) {
    auto name = path.filename().string();
    auto set = setOf(path);
    auto text = readText(path, kMaxManifestBytes);
    if (!text) return std::move(text).error();
    if (!name.ends_with(".json") || isSetFile(path))
      return Error(ErrorCode::InvalidArgument, path.string() + ": is not a recording");
    if (auto required = requireSet(set); !required) return std::move(required).error();
    auto manifest = parseManifest(*text, path.string());
    if (manifest) packs[set].insert({manifest->before.pack, manifest->after.pack});
  }
  for (const auto& path : manifests)
    if (::unlink(path.c_str()) != 0) return ioError("cannot remove", path, errno);
  uint64_t freed = 0;
  for (const auto& [set, names] : packs) {
    auto removed = removeUnusedPacks(set, names);
    if (!removed) return removed;
    freed += *removed;
  }
  return freed;
}

Expected<Collected> collectGarbage(const fs::path& set) {
  if (auto required = requireSet(set); !required) return std::move(required).error();
  return Collector(set).run();
}

}  // namespace mneme::format
