// SPDX-License-Identifier: Apache-2.0
/// Reads one pack of hostile bytes: nothing is used before it is checked, nothing is allocated that the file does not
/// back. Internal to format/. Thread-safe once open.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "format/layout.h"
#include "format/table.h"

namespace mneme::format {

/// One stored chunk to read: what its table says, and how long it has to be.
struct ChunkRequest {
  ChunkEntry entry;
  uint32_t region = 0;    ///< index in the table
  uint32_t position = 0;  ///< in the region's list of chunks
  uint32_t bytes = 0;
};

/// A chunk as it is stored and as it was. Both borrowed for the call.
struct ReadChunk {
  const ChunkRequest& request;
  RecordHeader header;
  std::span<const std::byte> payload, content;
};
using ReadChunkSink = std::function<Expected<void>(const ReadChunk&)>;

class PackReader {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<PackReader>> open(const std::filesystem::path& set, const std::string& name);

  /// The same for a file of any name.
  [[nodiscard]] static Expected<std::unique_ptr<PackReader>> openFile(const std::filesystem::path& path);

  [[nodiscard]] Expected<SnapshotTable> table(const TableReference& reference, SnapshotKind kind) const;
  /// Every request once, checked against its hash, from `threads` threads, in the order of the file.
  [[nodiscard]] Expected<void> readChunks(std::vector<ChunkRequest> requests, unsigned threads, const ReadChunkSink& sink) const;

  /// Calls `visit(offset, header)` for every record from the start to the end of the file; a broken header is an error.
  using RecordVisitor = std::function<Expected<void>(uint64_t offset, const RecordHeader& header)>;
  [[nodiscard]] Expected<void> scan(const RecordVisitor& visit) const;
  /// The payload of a record that is stored as it is, checked against its hash and at most `maxBytes` long.
  [[nodiscard]] Expected<std::vector<std::byte>> whole(uint64_t offset, const RecordHeader& header, uint64_t maxBytes) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] uint64_t size() const { return size_; }
  /// A CorruptRecording that names the pack.
  [[nodiscard]] Error corrupt(const std::string& what) const;

 private:
  PackReader(std::filesystem::path path, FileDescriptor fd, uint64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size) {}
  /// True if a record with that payload fits between the header and the end of the file.
  [[nodiscard]] bool fits(uint64_t offset, uint64_t payloadBytes) const;

  friend class BlockReader;
  std::filesystem::path path_;
  FileDescriptor fd_;
  uint64_t size_;
};

}  // namespace mneme::format
