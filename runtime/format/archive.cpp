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
    auto isNew = takeName(path, manifestFileName((*recording)->manifest()));
    if (!isNew || !*isNew) return isNew ? Expected<void>() : Expected<void>(std::move(isNew).error());
    if (auto done = takeTolerances(setOf(path), (*recording)->manifest().kernel); !done) return done;
    for (const auto& code : (*recording)->manifest().code)
      if (auto done = addCode(**recording, code); !done) return done;
    auto text = copyRecording(**recording, pack_, redact_);
    if (!text) return std::move(text).error().context(path.string());
    if (auto done = pack_.appendWhole(RecordType::Manifest, bytesOf(*text)); !done) return std::move(done).error();
    countRegions((*recording)->manifest());
    return {};
  }

  /// After the last recording.
  Expected<void> finish() {
    result_.tolerances = tolerances_.entries().size();
    if (tolerances_.entries().empty()) return {};
    auto written = pack_.appendWhole(RecordType::Tolerances, bytesOf(tolerances_.toJson()));
    return written ? Expected<void>() : Expected<void>(std::move(written).error());
  }

  [[nodiscard]] Exported result() const { return result_; }

 private:
  /// False for a recording that was named before. Two of one name from two sets would replace each other at import.
  Expected<bool> takeName(const fs::path& path, const std::string& name) {
    auto [known, isNew] = names_.try_emplace(name, path);
    std::error_code ignored;
    if (isNew || fs::equivalent(known->second, path, ignored)) return isNew;
    return Error(ErrorCode::InvalidArgument, known->second.string() + " and " + path.string() +
                                                 " have one name, and a set can hold only one of them; export each set to a file of its own");
  }

  Expected<void> takeTolerances(const fs::path& set, const std::string& kernel) {
    auto [file, isNew] = files_.try_emplace(set);
    if (isNew) {
      auto loaded = ToleranceFile::load(set);
      if (!loaded) return std::move(loaded).error();
      file->second = std::move(*loaded);
    }
    std::vector<ToleranceEntry> own;
    for (const auto& entry : file->second.entries())
      if (entry.kernel == kernel) own.push_back(entry);
    auto merged = mergeTolerances(tolerances_, own, (set / "tolerance.json").string(), OnConflict::Refuse);
    if (merged) return merged;
    return Error(merged.error().code(), merged.error().message() + "; export each set to a file of its own");
  }

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
  std::map<std::string, fs::path> names_;
  std::map<fs::path, ToleranceFile> files_;  ///< by set
  ToleranceFile tolerances_;
  Exported result_;
};

/// Where code and manifests lie in an exported file.
struct Contents {
  std::map<Hash128, std::pair<uint64_t, RecordHeader>> code;
  std::vector<std::pair<uint64_t, RecordHeader>> manifests;
  ToleranceFile tolerances;
};

Expected<std::string> textAt(const PackReader& pack, uint64_t offset, const RecordHeader& header) {
  auto bytes = pack.whole(offset, header, kMaxManifestBytes);
  if (!bytes) return std::move(bytes).error();
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

Expected<ToleranceFile> tolerancesAt(const PackReader& pack, uint64_t offset, const RecordHeader& header) {
  auto text = textAt(pack, offset, header);
  if (!text) return std::move(text).error();
  return ToleranceFile::parse(*text, pack.path().string() + ": its tolerances");
}

Expected<Contents> contentsOf(const PackReader& pack) {
  Contents out;
  auto scanned = pack.scan([&](uint64_t offset, const RecordHeader& header) -> Expected<void> {
    if (header.type == RecordType::Code) out.code.try_emplace(header.hash, offset, header);
    if (header.type == RecordType::Manifest) out.manifests.emplace_back(offset, header);
    if (header.type != RecordType::Tolerances) return {};
    auto tolerances = tolerancesAt(pack, offset, header);
    if (!tolerances) return std::move(tolerances).error();
    out.tolerances = std::move(*tolerances);
    return {};
  });
  if (!scanned) return std::move(scanned).error();
  if (out.manifests.empty()) return pack.corrupt("holds no recording");
  return out;
}

class Importer {
 public:
  Importer(std::shared_ptr<const PackReader> source, Contents contents, fs::path set, OnConflict onConflict)
      : source_(std::move(source)), contents_(std::move(contents)), set_(std::move(set)), onConflict_(onConflict) {}

  Expected<Imported> run() {
    if (auto created = createSet(set_); !created) return std::move(created).error();
    if (auto fits = checkTolerances(); !fits) return std::move(fits).error();
    if (auto opened = openPack(); !opened) return std::move(opened).error();
    auto done = copyAll();
    if (done) done = pack_->sync();
    if (!done) {
      pack_->remove();
      return std::move(done).error();
    }
    if (auto published = publishAll(); !published) return std::move(published).error();
    if (auto merged = publishTolerances(); !merged) return std::move(merged).error();
    pack_.reset();
    if (auto removed = removeUnusedPacks(set_, replacedPacks_); !removed) return std::move(removed).error();
    return result_;
  }

 private:
  Expected<void> merge(ToleranceFile& file) const {
    auto origin = source_->path().string();
    auto merged = mergeTolerances(file, contents_.tolerances.entries(), origin, onConflict_);
    if (merged) return merged;
    return Error(merged.error().code(), (set_ / "tolerance.json").string() + ": " + merged.error().message() +
                                            "; choose with --tolerances keep or --tolerances take");
  }

  /// Before anything is copied; publishTolerances asks again under the lock.
  Expected<void> checkTolerances() const {
    auto file = ToleranceFile::load(set_);
    return file ? merge(*file) : Expected<void>(std::move(file).error());
  }

  Expected<void> publishTolerances() const {
    if (contents_.tolerances.entries().empty()) return {};
    return updateTolerances(set_, [this](ToleranceFile& file) { return merge(file); });
  }

  Expected<void> openPack() {
    SetLock shared(set_, SetLock::Mode::Shared);
    auto pack = PackWriter::create(set_, "import", 0);
    if (!pack) return std::move(pack).error();
    pack_ = std::move(*pack);
    return {};
  }

  Expected<void> copyAll() {
    for (const auto& [offset, header] : contents_.manifests) {
      auto text = textAt(*source_, offset, header);
      if (!text) return std::move(text).error();
      auto recording = StoredRecording::fromExport(source_, std::move(*text));
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
    auto name = manifestFileName(recording.manifest());
    return texts_.try_emplace(set_ / name, std::move(*text)).second ? Expected<void>() : source_->corrupt("holds " + name + " twice");
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
  OnConflict onConflict_;
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
  if (done) done = exporter.finish();
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

Expected<Imported> importRecordings(const fs::path& file, const fs::path& set, OnConflict tolerances) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return Error(ErrorCode::NotFound, file.string() + ": no such file");
  auto opened = PackReader::openFile(file);
  if (!opened) return std::move(opened).error();
  std::shared_ptr<const PackReader> source = std::move(*opened);
  auto contents = contentsOf(*source);
  if (!contents) return std::move(contents).error();
  return Importer(std::move(source), std::move(*contents), set, tolerances).run();
}

}  // namespace mneme::format
