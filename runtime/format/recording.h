// SPDX-License-Identifier: Apache-2.0
/// A recording with its storage in sight: what collecting, verifying and exporting need beyond Recording.
/// Internal to format/.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/pack_reader.h"
#include "format/recording_set.h"
#include "format/table.h"

namespace mneme::format {

class StoredRecording final : public Recording {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<StoredRecording>> open(const std::filesystem::path& path);
  /// From an exported file, which is a pack that holds the manifest too; it has no code() here.
  [[nodiscard]] static Expected<std::unique_ptr<StoredRecording>> fromExport(std::shared_ptr<const PackReader> pack,
                                                                             std::string manifestText);

  [[nodiscard]] const std::filesystem::path& path() const override { return path_; }
  [[nodiscard]] const Manifest& manifest() const override { return manifest_; }
  [[nodiscard]] Expected<std::vector<std::byte>> code(const CodeReference& reference) override;
  [[nodiscard]] Expected<void> readBefore(unsigned threads, const ChunkSink& sink) override;
  [[nodiscard]] Expected<void> readAfter(unsigned threads, const ChunkSink& sink) override;
  [[nodiscard]] const std::vector<uint32_t>& changedChunks(size_t region) override;
  [[nodiscard]] std::optional<Hash128> beforeHash(size_t region, uint32_t chunk) const override;

  /// The manifest's file as it was read.
  [[nodiscard]] const std::string& manifestText() const { return text_; }
  [[nodiscard]] const SnapshotTable& before() const { return before_; }
  [[nodiscard]] const SnapshotTable& after() const { return after_; }
  /// Every stored chunk of a snapshot, checked; zero chunks have nothing stored.
  [[nodiscard]] Expected<void> readStored(SnapshotKind kind, unsigned threads, const ReadChunkSink& sink) const;

 private:
  StoredRecording(std::filesystem::path path, Manifest manifest, std::string text)
      : path_(std::move(path)), manifest_(std::move(manifest)), text_(std::move(text)) {}
  static Expected<std::unique_ptr<StoredRecording>> openOnce(const std::filesystem::path& path);
  Expected<void> openPacks();
  Expected<void> loadTables();
  [[nodiscard]] std::filesystem::path set() const { return path_.parent_path(); }

  std::filesystem::path path_;
  Manifest manifest_;
  std::string text_;
  std::shared_ptr<const PackReader> beforePack_, afterPack_;
  SnapshotTable before_, after_;
  std::vector<std::vector<uint32_t>> changed_;
};

}  // namespace mneme::format
