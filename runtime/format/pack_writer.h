// SPDX-License-Identifier: Apache-2.0
/// One writer's pack: appends records, stores each content once, and goes back to its last good end on failure.
/// Held under flock until destroyed. append() may be called from several threads; everything else from one.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "format/layout.h"
#include "format/table.h"

namespace mneme::format {

/// A chunk ready to be stored. The payload is borrowed until append() returns.
struct EncodedChunk {
  RecordHeader header;
  std::span<const std::byte> payload;
};

class PackWriter {
 public:
  /// A new pack with a random name, `<prefix>-<12 hexadecimal digits>`, in an existing set. `maxBytes` of 0: no limit.
  [[nodiscard]] static Expected<std::unique_ptr<PackWriter>> create(const std::filesystem::path& set,
                                                                    const std::string& prefix, uint64_t maxBytes);
  /// A pack under a path of its own: an export. Refuses a path that exists.
  [[nodiscard]] static Expected<std::unique_ptr<PackWriter>> createFile(const std::filesystem::path& path);
  ~PackWriter();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] uint64_t end() const { return end_; }

  /// The stored chunk of that content, if there is one already.
  [[nodiscard]] bool find(const Hash128& hash, ChunkEntry& entry);
  /// Stores chunks, large pieces at a time, and fills in offset, storedBytes and hash of their entries.
  [[nodiscard]] Expected<void> append(std::span<const EncodedChunk> chunks, std::span<ChunkEntry* const> entries);
  [[nodiscard]] Expected<TableReference> appendTable(std::span<const std::byte> table);
  /// A record that is stored as it is and never shared; its offset.
  [[nodiscard]] Expected<uint64_t> appendWhole(RecordType type, std::span<const std::byte> bytes);

  [[nodiscard]] Expected<void> sync();
  /// Forgets everything behind `end` and gives the space back.
  void rollback(uint64_t end);
  /// Removes the pack's file; for a pack that no recording uses.
  void remove();

 private:
  PackWriter(std::filesystem::path path, std::string name, FileDescriptor fd, uint64_t maxBytes)
      : path_(std::move(path)), name_(std::move(name)), fd_(std::move(fd)), maxBytes_(maxBytes) {}
  Expected<void> writeHeader();
  Expected<void> writeRecords(uint64_t offset, std::span<const EncodedChunk> records);

  struct Stored {
    uint64_t offset;
    uint32_t bytes;
  };
  std::filesystem::path path_;
  std::string name_;
  FileDescriptor fd_;
  uint64_t maxBytes_;
  std::mutex mutex_;  // guards end_ and index_
  uint64_t end_ = kPackHeaderBytes;
  std::unordered_map<Hash128, Stored> index_;
};

}  // namespace mneme::format
