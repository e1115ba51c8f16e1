// SPDX-License-Identifier: Apache-2.0
/// Both snapshots pass through this process's memory once: a baseline is updated rarely, and by hand. See baseline.h.
#include "replay/baseline.h"

#include <algorithm>
#include <cstring>

namespace mneme::replay {
namespace {

/// One region's bytes before and after, and which chunks differ.
struct RegionAnswer {
  std::vector<std::byte> before, after, changedBytes;
  std::vector<uint32_t> changed;
};

void findChanges(RegionAnswer& region) {
  for (size_t at = 0; at < region.before.size(); at += format::kChunkBytes) {
    size_t size = std::min<size_t>(format::kChunkBytes, region.before.size() - at);
    if (std::memcmp(&region.before[at], &region.after[at], size) == 0) continue;
    region.changed.push_back(static_cast<uint32_t>(at / format::kChunkBytes));
    region.changedBytes.insert(region.changedBytes.end(), &region.after[at], &region.after[at] + size);
  }
}

Expected<std::vector<RegionAnswer>> collect(format::Recording& recording, ReplaySession& session) {
  const auto& regions = recording.manifest().regions;
  std::vector<RegionAnswer> answers(regions.size());
  for (size_t i = 0; i < regions.size(); ++i) {
    answers[i].before.resize(regions[i].range.size);
    answers[i].after.resize(regions[i].range.size);
    if (auto read = session.readMemory(i, answers[i].after); !read) return std::move(read).error();
  }
  auto read = recording.readBefore(1, [&](size_t region, uint64_t offset, std::span<const std::byte> bytes) -> Expected<void> {
    std::memcpy(&answers[region].before[offset], bytes.data(), bytes.size());
    return {};
  });
  if (!read) return std::move(read).error();
  for (auto& answer : answers) findChanges(answer);
  return answers;
}

format::RegionSource sourceOf(const std::vector<std::byte>& bytes) {
  format::RegionSource source;
  source.size = bytes.size();
  source.view = bytes.data();
  source.read = [&bytes](uint64_t offset, std::span<std::byte> out) -> Expected<void> {
    std::memcpy(out.data(), &bytes[offset], out.size());
    return {};
  };
  return source;
}

const char* extensionOf(CodeKind kind) {
  return kind == CodeKind::Llvm ? "bc" : kind == CodeKind::Ptx ? "ptx" : "cubin";
}

/// Code of other kinds gave the old answer and goes.
Expected<void> replaceCode(format::Manifest& manifest, format::SetWriter& writer, const SelectedCode& code) {
  auto reference = writer.addCode(code.code.kind, code.code.bytes, extensionOf(code.code.kind));
  if (!reference) return std::move(reference).error();
  reference->architecture = code.architecture;
  reference->source = code.source;
  reference->command = code.command;
  manifest.code = {std::move(*reference)};
  manifest.selfCheck.clear();
  if (manifest.redaction == format::Redaction::Memory) manifest.redaction = format::Redaction::Inputs;
  if (!code.compiler.empty()) manifest.toolchain = code.compiler;
  return {};
}

void describeChanges(format::Manifest& manifest, const std::vector<RegionAnswer>& answers) {
  for (size_t i = 0; i < answers.size(); ++i) {
    manifest.regions[i].changed = !answers[i].changed.empty();
    manifest.regions[i].changedBytes = answers[i].changedBytes.size();
  }
}

Expected<std::filesystem::path> write(format::Manifest& manifest, format::SetWriter& writer,
                                      const std::vector<RegionAnswer>& answers) {
  std::vector<format::RegionSource> before, after;
  std::vector<std::vector<uint32_t>> changed;
  for (const auto& answer : answers) {
    before.push_back(sourceOf(answer.before));
    after.push_back(sourceOf(answer.changedBytes));
    changed.push_back(answer.changed);
  }
  auto added = writer.add(manifest, before, changed, after);
  if (!added) return std::move(added).error();
  if (auto finished = writer.finish(); !finished) return std::move(finished).error();
  return added->manifest;
}

}  // namespace

Expected<std::filesystem::path> acceptAnswer(format::Recording& recording, ReplaySession& session,
                                             const SelectedCode& code) {
  if (session.relocatedCount() > 0)
    return Error(ErrorCode::Unsupported, "the recorded addresses could not be had here, so the new memory cannot be kept");
  auto answers = collect(recording, session);
  if (!answers) return std::move(answers).error();
  format::Manifest manifest = recording.manifest();
  format::SetWriter::Options options;
  options.directory = recording.path().parent_path();
  if (options.directory.empty()) options.directory = ".";
  options.rank = manifest.rank;
  auto writer = format::SetWriter::open(std::move(options));
  if (!writer) return std::move(writer).error();
  if (auto replaced = replaceCode(manifest, **writer, code); !replaced) return std::move(replaced).error();
  describeChanges(manifest, *answers);
  return write(manifest, **writer, *answers);
}

}  // namespace mneme::replay
