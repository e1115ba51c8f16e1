// SPDX-License-Identifier: Apache-2.0
#include "code_rows.h"

#include <algorithm>

#include "base/file.h"
#include "code/assembler.h"
#include "code/fatbin.h"
#include "code/notes.h"
#include "cubin/ptx.h"
#include "format/recording_set.h"
#include "llvm_code.h"

namespace mneme::cli {
namespace fs = std::filesystem;
namespace {

std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool isPtx(std::span<const std::byte> bytes) {
  constexpr size_t kHead = 4096;  // comments come first
  return textOf(bytes.first(std::min(kHead, bytes.size()))).find(".version") != std::string_view::npos;
}

class Collector {
 public:
  explicit Collector(const CodeQuery& query) : query_(query) {}

  void addImage(std::span<const std::byte> image, const std::string& origin, CodeKind kind = CodeKind::Image) {
    auto all = code::imageStatistics(image);
    if (!all) return remark(origin, all.error().message());
    for (code::KernelStatistics& one : *all) add(std::move(one), kind, origin);
  }

  void addPtx(std::span<const std::byte> ptx, const std::string& origin) {
    const std::string written = cubin::scanPtx(textOf(ptx)).target;
    const std::string target = query_.architecture.empty() ? written : query_.architecture;
    const auto assembled = code::assemble(textOf(ptx), target);
    if (!assembled && assembled.error().code() == ErrorCode::Unavailable) return noAssembler(origin, assembled.error().message());
    if (!assembled) return remark(origin, assembled.error().message());
    addImage(assembled->cubin, origin, CodeKind::Ptx);
  }

  [[nodiscard]] bool wants(CodeKind kind) const { return !query_.as || *query_.as == kind; }
  /// Each once: what stops one kernel of a file mostly stops all of them.
  void remark(const std::string& origin, const std::string& why) {
    const std::string text = origin + ": " + why.substr(0, why.find_last_not_of('\n') + 1);
    if (std::ranges::find(result_.remarks, text) == result_.remarks.end()) result_.remarks.push_back(text);
  }
  void noAssembler(const std::string& binary, const std::string& why) {
    result_.noAssembler = true;
    remark(binary, why.substr(0, why.find('\n')));
  }
  void setShape(const LaunchShape& shape) { result_.shape = shape; }
  /// True if this kernel's numbers for this architecture were read from an image.
  [[nodiscard]] bool hasImage(const std::string& kernel) const {
    return std::ranges::any_of(result_.rows, [&](const CodeRow& row) {
      return row.kind == CodeKind::Image && row.statistics.kernel == kernel;
    });
  }
  [[nodiscard]] bool has(const std::string& kernel) const {
    return std::ranges::any_of(result_.rows, [&](const CodeRow& row) { return row.statistics.kernel == kernel; });
  }
  CodeRows take() { return std::move(result_); }

 private:
  /// The same code is often found twice: as a note and in the fat binary.
  void add(code::KernelStatistics statistics, CodeKind kind, const std::string& origin) {
    const bool known = std::ranges::any_of(result_.rows, [&](const CodeRow& row) {
      return row.statistics.kernel == statistics.kernel && row.statistics.architecture == statistics.architecture &&
             (!query_.as || row.kind == kind);
    });
    if (!known) result_.rows.push_back({std::move(statistics), kind, origin});
  }

  const CodeQuery& query_;
  CodeRows result_;
};

/// The last line of the log is the assembler's, or of who looked for one.
std::string whyNoImage(std::string log) {
  log.resize(log.find_last_not_of('\n') + 1);
  return log.substr(log.find_last_of('\n') + 1);
}

void addGenerated(Collector& collector, const Expected<code::GeneratedCode>& made, const std::string& origin, const std::string& file) {
  if (!made) collector.remark(origin, made.error().message());
  else if (made->image.empty()) collector.noAssembler(file, whyNoImage(made->log));
  else collector.addImage(made->image, origin, CodeKind::Llvm);
}

/// Where it has no machine code, or bitcode was asked for.
Expected<void> addRecordedBitcode(Collector& collector, format::Recording& recording, const CodeQuery& query) {
  const format::Manifest& manifest = recording.manifest();
  if (!query.as && collector.has(manifest.kernel)) return {};
  for (const format::CodeReference& reference : manifest.code) {
    if (reference.kind != CodeKind::Llvm || !collector.wants(CodeKind::Llvm)) continue;
    const auto bytes = recording.code(reference);
    if (!bytes) return Error(bytes.error());
    addGenerated(collector, generateRecorded(reference, *bytes, manifest.kernel, query.architecture), reference.file,
                 recording.path().string());
  }
  return {};
}

Expected<void> addRecording(Collector& collector, const fs::path& manifest, const CodeQuery& query) {
  auto recording = format::Recording::open(manifest);
  if (!recording) return std::move(recording).error();
  collector.setShape((*recording)->manifest().shape);
  for (const CodeKind kind : {CodeKind::Image, CodeKind::Ptx}) {
    for (const format::CodeReference& reference : (*recording)->manifest().code) {
      if (reference.kind != kind || !collector.wants(kind)) continue;
      auto bytes = (*recording)->code(reference);
      if (!bytes) return std::move(bytes).error();
      if (kind == CodeKind::Image) collector.addImage(*bytes, reference.file);
      else collector.addPtx(*bytes, reference.file);
    }
  }
  return addRecordedBitcode(collector, **recording, query);
}

void addFatBinaries(Collector& collector, const code::FatBinaries& fat, CodeKind kind) {
  for (const code::FatBinaryEntry& entry : fat.entries()) {
    if (entry.kind != kind || !collector.wants(kind)) continue;
    const std::string origin = entry.binary.string();
    const bool covered = kind == CodeKind::Ptx && std::ranges::all_of(entry.kernels, [&](const std::string& kernel) {
                           return collector.hasImage(kernel);
                         });
    if (covered) continue;
    const auto bytes = fat.code(entry);
    if (!bytes) collector.remark(origin, bytes.error().message());
    else if (kind == CodeKind::Image) collector.addImage(*bytes, origin);
    else collector.addPtx(*bytes, origin);
  }
}

void addNotes(Collector& collector, const code::NoteArchive& archive, CodeKind kind) {
  for (const code::Note& note : archive.notes()) {
    if (note.kind != kind || !collector.wants(kind)) continue;
    if (std::ranges::all_of(note.kernels, [&](const std::string& kernel) { return collector.hasImage(kernel); })) continue;
    const std::string origin = note.binary.string() + " (" + note.source + ")";
    const auto bytes = archive.code(note);
    if (!bytes) collector.remark(origin, bytes.error().message());
    else if (kind == CodeKind::Image) collector.addImage(*bytes, origin);
    else collector.addPtx(*bytes, origin);
  }
}

/// Of kernels that have no machine code, or of all where bitcode was asked for.
void addBitcode(Collector& collector, const code::NoteArchive& archive, const CodeQuery& query) {
  for (const code::Note& note : archive.notes()) {
    if (note.kind != CodeKind::Llvm || !collector.wants(CodeKind::Llvm)) continue;
    const std::string origin = note.binary.string() + " (" + note.source + ")";
    for (const std::string& kernel : note.kernels) {
      if ((!query.as && collector.has(kernel)) || (query.wanted && !query.wanted(kernel))) continue;
      const auto made = generateNoted(archive, note, kernel, query.architecture.empty() ? note.architecture : query.architecture);
      addGenerated(collector, made, origin, note.binary.string());
    }
  }
}

Expected<void> addBinary(Collector& collector, const fs::path& binary, const CodeQuery& query) {
  const auto archive = code::NoteArchive::openWithLibraries(binary);
  if (!archive) return Error(archive.error());
  const auto fat = code::FatBinaries::open(binary);
  if (!fat) return Error(fat.error());
  for (const CodeKind kind : {CodeKind::Image, CodeKind::Ptx}) {
    addFatBinaries(collector, *fat, kind);
    addNotes(collector, *archive, kind);
  }
  addBitcode(collector, *archive, query);
  return {};
}

}  // namespace

Expected<CodeRows> collectCode(const CodeQuery& query) {
  Collector collector(query);
  if (query.path.extension() == ".json") {
    if (auto added = addRecording(collector, query.path, query); !added) return std::move(added).error();
    return collector.take();
  }
  const auto file = MappedFile::open(query.path);
  if (!file) return Error(file.error());
  const auto bytes = file->bytes();
  if (code::imageStatistics(bytes)) collector.addImage(bytes, query.path.string());
  else if (query.path.extension() == ".ptx" && isPtx(bytes)) collector.addPtx(bytes, query.path.string());
  else if (auto added = addBinary(collector, query.path, query); !added) return std::move(added).error();
  return collector.take();
}

}  // namespace mneme::cli
