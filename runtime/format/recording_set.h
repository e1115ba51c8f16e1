// SPDX-License-Identifier: Apache-2.0
/// The recording set on disk: writer and reader together, so that they cannot drift apart. docs/format.md has the bytes.
/// A recording is visible only once it is whole: chunks and code first, flushed, then the manifest by rename.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "format/manifest.h"

namespace mneme::format {

/// Where a region's bytes come from while a recording is written: fills `out` with the region's bytes at `offset`.
/// May be called from the writer's compression threads, several at once.
using ByteSource = std::function<Expected<void>(uint64_t offset, std::span<std::byte> out)>;

/// A region to write. `view` (optional) is the whole region in host memory, borrowed for the call: no copy is made.
struct RegionSource {
  uint64_t size = 0;
  const std::byte* view = nullptr;
  ByteSource read;
};

/// Writes recordings of one process and rank into its own pack. One writer per process; its calls are not thread-safe
/// with each other. Nothing is created on disk before the first recording.
class SetWriter {
 public:
  struct Options {
    std::filesystem::path directory;
    uint32_t rank = 0;
    bool append = false;         ///< never replace: take the next free ordinal
    uint64_t maxBytes = 0;       ///< of new data, 0: no limit; beyond it add() answers Unavailable
    unsigned compressionThreads = 2;
  };
  [[nodiscard]] static Expected<std::unique_ptr<SetWriter>> open(Options options);
  virtual ~SetWriter() = default;

  /// Stores code under its hash; returns the reference to put into manifests. Cheap if it is there already.
  [[nodiscard]] virtual Expected<CodeReference> addCode(CodeKind kind, std::span<const std::byte> bytes,
                                                        const std::string& extension) = 0;

  /// Writes one recording whole. `manifest` comes with everything but `before`, `after`, `hash8`, `shortName`; these are
  /// filled in. `changedChunks[i]` are the chunk indices of region i that changed, `after[i]` those chunks, concatenated.
  /// On failure nothing becomes visible and earlier recordings are as they were.
  struct Added {
    std::filesystem::path manifest;
    bool replaced = false;
  };
  [[nodiscard]] virtual Expected<Added> add(Manifest& manifest, std::span<const RegionSource> before,
                                            std::span<const std::vector<uint32_t>> changedChunks,
                                            std::span<const RegionSource> after) = 0;
  /// New data so far, as Options::maxBytes counts it.
  [[nodiscard]] virtual uint64_t bytesWritten() const { return 0; }
  /// Flushes and closes the pack; removes packs that only replaced recordings used.
  [[nodiscard]] virtual Expected<void> finish() = 0;
};

/// One recording, open for reading. Every length, offset, count and hash is checked before it is used.
class Recording {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<Recording>> open(const std::filesystem::path& manifest);
  virtual ~Recording() = default;

  [[nodiscard]] virtual const std::filesystem::path& path() const = 0;
  [[nodiscard]] virtual const Manifest& manifest() const = 0;
  /// The code file's bytes, checked against its hash.
  [[nodiscard]] virtual Expected<std::vector<std::byte>> code(const CodeReference& reference) = 0;
  /// Calls `sink(region, offset, bytes)` for every chunk of the snapshot, decompressed and checked, in any order, from
  /// `threads` threads. For `after` only changed chunks come.
  using ChunkSink = std::function<Expected<void>(size_t region, uint64_t offset, std::span<const std::byte> bytes)>;
  [[nodiscard]] virtual Expected<void> readBefore(unsigned threads, const ChunkSink& sink) = 0;
  [[nodiscard]] virtual Expected<void> readAfter(unsigned threads, const ChunkSink& sink) = 0;
  /// Ascending indices of the chunks of region i that `after` holds.
  [[nodiscard]] virtual const std::vector<uint32_t>& changedChunks(size_t region) = 0;
  /// hash128 of a chunk's bytes before the launch, from the checked table: compares memory without decompressing.
  /// nullopt where the reader does not keep it; the caller then reads the chunk.
  [[nodiscard]] virtual std::optional<Hash128> beforeHash(size_t /*region*/, uint32_t /*chunk*/) const {
    return std::nullopt;
  }
};

/// NotFound if there is no such directory, CorruptRecording if its set.json is damaged or of another version. A directory
/// without set.json can be read.
[[nodiscard]] Expected<void> checkSet(const std::filesystem::path& set);
/// Whether a recording could be written there: the set, or where it would be made, takes files. Leaves nothing behind.
[[nodiscard]] Expected<void> checkWritable(const std::filesystem::path& set);
/// True of set.json and tolerance.json, which a shell's SET/*.json names, too, and which are no recordings.
[[nodiscard]] bool isSetFile(const std::filesystem::path& path);

/// Manifests of a set by file name, sorted; no manifest is read. Fails as checkSet does.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> listManifests(const std::filesystem::path& set);

/// Rewrites one manifest in place (self-check results, element types), atomically, with a new manifest hash. The bytes' place
/// is taken from the manifest on disk, since packs may have moved; a recording that was replaced meanwhile is left as it is.
[[nodiscard]] Expected<void> rewriteManifest(const std::filesystem::path& path, const Manifest& manifest);

}  // namespace mneme::format
