// SPDX-License-Identifier: Apache-2.0
/// Export and import; see archive.h.
#include "format/archive.h"

#include <unistd.h>

#include <map>
#include <set>
#include <system_error>

#include "format/copy.h"
#include "format/layout.h"
#include "format/recording.h"
#include "format/redact.h"
#include "format/set_files.h"

namespace mneme::format {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kMaxCodeBytes = uint64_t{1} << 30;

std::span<const std::byte> bytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }

class Exporter {
 public:
  Exporter(PackWriter& pack, bool redact) : pack_(pack), redact_(redact) {}

  Expected<void> add(const fs::path& path) {
    auto recording = StoredRecording::open(path);
    if (!recording) return std::move(recording).error();
    for (const auto& code : (*recording)->manifest().code)
      if (auto done = addCode(**recording, code); !done) return done;
    auto text = copyRecording(**recording, pack_, redact_);
    if (!text) return std::move(text).error().context(path.string());
    if (auto done = pack_.appendWhole(RecordType::Manifest, bytesOf(*text)); !done) return std::move(done).error();
    countRegions((*recording)->manifest());
    return {};
  }

  [[nodiscard]] Exported result() const { return result_; }

 private:
  Expected<void> addCode(StoredRecording& recording, const CodeReference& reference) {
    if (!added_.insert(reference.hash).second) return {};
    auto bytes = recording.code(reference);
    if (!bytes) return std::move(bytes).error();
    if (auto done = pack_.appendWhole(RecordType::Code, *bytes); !done) return std::move(done).error();
    return {};
  }

  void countRegions(const Manifest& manifest) {
    ++result_.recordings;
    for (const auto& region : manifest.regions)
      ++(isFloatingPoint(region.element) ? result_.redactedRegions : result_.untypedRegions);
  }

  PackWriter& pack_;
  bool redact_;
  std::set<Hash128> added_;
  Exported result_;
};

/// Where code and manifests lie in an exported file.
struct Contents {
  std::map<Hash128, std::pair<uint64_t, RecordHeader>> code;
  std::vector<std::pair<uint64_t, RecordHeader>> manifests;
};

Expected<Contents> contentsOf(const PackReader& pack) {
  Contents out;
  auto scanned = pack.scan([&](uint64_t offset, const RecordHeader& header) -> Expected<void> {
    if (header.type == RecordType::Code) out.code.try_emplace(header.hash, offset, header);
    if (header.type == RecordType::Manifest) out.manifests.emplace_back(offset, header);
    return {};
  });
  if (!scanned) return std::move(scanned).error();
  if (out.manifests.empty()) return pack.corrupt("holds no recording");
  return out;
}

class Importer {
 public:
  Importer(std::shared_ptr<const PackReader> source, Contents contents, fs::path set)
      : source_(std::move(source)), contents_(std::move(contents)), set_(std::move(set)) {}

  Expected<Imported> run() {
    if (auto created = createSet(set_); !created) return std::move(created).error();
    if (auto opened = openPack(); !opened) return std::move(opened).error();
    auto done = copyAll();
    if (done) done = pack_->sync();
    if (!done) {
      pack_->remove();
      return std::move(done).error();
    }
    if (auto published = publishAll(); !published) return std::move(published).error();
    pack_.reset();
    if (auto removed = removeUnusedPacks(set_, replacedPacks_); !removed) return std::move(removed).error();
    return result_;
  }

 private:
  Expected<void> openPack() {
    SetLock shared(set_, SetLock::Mode::Shared);
    auto pack = PackWriter::create(set_, "import", 0);
    if (!pack) return std::move(pack).error();
    pack_ = std::move(*pack);
    return {};
  }

  Expected<void> copyAll() {
    for (const auto& [offset, header] : contents_.manifests) {
      auto bytes = source_->whole(offset, header, kMaxManifestBytes);
      if (!bytes) return std::move(bytes).error();
      auto recording = StoredRecording::fromExport(source_, {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
      if (!recording) return std::move(recording).error();
      if (auto done = copyOne(**recording); !done) return done;
    }
    return {};
  }

  Expected<void> copyOne(const StoredRecording& recording) {
    for (const auto& code : recording.manifest().code)
      if (auto done = copyCode(code); !done) return done;
    auto text = copyRecording(recording, *pack_, false);
    if (!text) return std::move(text).error();
    texts_[set_ / manifestFileName(recording.manifest())] = std::move(*text);
    return {};
  }

  Expected<void> copyCode(const CodeReference& reference) {
    auto found = contents_.code.find(reference.hash);
    if (found == contents_.code.end()) return source_->corrupt("lacks the code " + reference.file);
    if (!reference.file.starts_with(toHex(reference.hash))) return source_->corrupt("names code by another hash");
    auto path = codePath(set_, reference.file);
    std::error_code ignored;
    if (fs::is_regular_file(fs::symlink_status(path, ignored))) return {};
    auto bytes = source_->whole(found->second.first, found->second.second, kMaxCodeBytes);
    if (!bytes) return std::move(bytes).error();
    return writeAtomically(path, std::span<const std::byte>(*bytes));
  }

  Expected<void> publishAll() {
    SetLock shared(set_, SetLock::Mode::Shared);
    for (const auto& [path, text] : texts_) {
      auto old = readText(path, kMaxManifestBytes);
      if (auto written = writeAtomically(path, text); !written) return written;
      result_.manifests.push_back(path);
      result_.replaced += old.has_value();
      if (auto manifest = parseManifest(old ? *old : "", path.string()))
        replacedPacks_.insert({manifest->before.pack, manifest->after.pack});
    }
    return {};
  }

  std::shared_ptr<const PackReader> source_;
  Contents contents_;
  fs::path set_;
  std::unique_ptr<PackWriter> pack_;
  std::map<fs::path, std::string> texts_;
  std::set<std::string> replacedPacks_;
  Imported result_;
};

}  // namespace

Expected<Exported> exportRecordings(std::span<const fs::path> manifests, const fs::path& file, const ExportOptions& options) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return Error(ErrorCode::InvalidArgument, file.string() + ": exists already");
  auto temporary = file.parent_path() / ("." + file.filename().string() + "." + std::to_string(::getpid()) + ".tmp");
  auto pack = PackWriter::createFile(temporary);
  if (!pack) return std::move(pack).error();
  Exporter exporter(**pack, options.redact);
  Expected<void> done;
  for (size_t i = 0; done && i < manifests.size(); ++i) done = exporter.add(manifests[i]);
  if (done) done = (*pack)->sync();
  if (done && ::rename(temporary.c_str(), file.c_str()) != 0) done = ioError("cannot rename to", file, errno);
  if (!done) {
    (*pack)->remove();
    return std::move(done).error();
  }
  auto result = exporter.result();
  result.bytes = (*pack)->end();
  return result;
}

Expected<Imported> importRecordings(const fs::path& file, const fs::path& set) {
  auto opened = PackReader::openFile(file);
  if (!opened) return std::move(opened).error();
  std::shared_ptr<const PackReader> source = std::move(*opened);
  auto contents = contentsOf(*source);
  if (!contents) return std::move(contents).error();
  return Importer(std::move(source), std::move(*contents), set).run();
}

}  // namespace mneme::format
