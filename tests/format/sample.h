// SPDX-License-Identifier: Apache-2.0
/// Small recordings to test with: a temporary directory, a sample launch, and its bytes read back.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <unistd.h>

#include "format/recording_set.h"

namespace mneme::format::test {

namespace fs = std::filesystem;

/// A directory of its own under TMPDIR, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "mneme-format-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

using Bytes = std::vector<std::byte>;

inline Bytes randomBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes out(size);
  for (auto& b : out) b = static_cast<std::byte>(random());
  return out;
}

/// What a launch looked like: regions before, and whole regions after.
struct Sample {
  Manifest manifest;
  std::vector<Bytes> before, after;
};

inline void addRegion(Sample& sample, Bytes before, Bytes after, MemoryKind kind = MemoryKind::Device) {
  uint64_t address = 0x7f0000000000 + 0x10000000 * sample.before.size();
  Region region;
  region.range = {address, before.size(), kind, kind == MemoryKind::Global ? "table" : ""};
  region.element = ElementType::F32;
  sample.manifest.regions.push_back(region);
  sample.before.push_back(std::move(before));
  sample.after.push_back(std::move(after));
}

inline Sample makeSample(const std::string& kernel = "_Z4axpyPfS_fi", uint32_t seed = 1) {
  Sample sample;
  auto& m = sample.manifest;
  m.kernel = kernel;
  m.shape.grid = {4, 2, 1};
  m.shape.block = {128, 1, 1};
  m.parameters = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};
  m.arguments.assign(24, 7);
  m.backend = "host";
  m.program = "app 'a b'";
  auto input = randomBytes(3 * kChunkBytes + 100, seed);
  auto output = input;
  output[kChunkBytes + 5] ^= std::byte{1};
  output.back() ^= std::byte{1};
  addRegion(sample, input, output);
  addRegion(sample, Bytes(2 * kChunkBytes), Bytes(2 * kChunkBytes));  // all zero
  Bytes text(kChunkBytes, std::byte{'x'});
  addRegion(sample, text, Bytes(kChunkBytes), MemoryKind::Global);  // becomes zero
  addRegion(sample, {}, {});
  return sample;
}

inline std::vector<uint32_t> changedChunksOf(const Bytes& before, const Bytes& after) {
  std::vector<uint32_t> out;
  for (uint64_t at = 0; at < before.size(); at += kChunkBytes)
    if (std::memcmp(&before[at], &after[at], std::min<uint64_t>(kChunkBytes, before.size() - at)) != 0)
      out.push_back(static_cast<uint32_t>(at / kChunkBytes));
  return out;
}

inline Expected<SetWriter::Added> write(SetWriter& writer, Sample& sample) {
  std::vector<RegionSource> before, after;
  std::vector<std::vector<uint32_t>> changed;
  std::vector<Bytes> changedBytes(sample.before.size());
  for (size_t i = 0; i < sample.before.size(); ++i) {
    before.push_back({sample.before[i].size(), sample.before[i].data(), {}});
    changed.push_back(changedChunksOf(sample.before[i], sample.after[i]));
    for (uint32_t c : changed.back()) {
      auto at = sample.after[i].begin() + static_cast<ptrdiff_t>(c * kChunkBytes);
      auto length = std::min<uint64_t>(kChunkBytes, sample.after[i].size() - c * kChunkBytes);
      changedBytes[i].insert(changedBytes[i].end(), at, at + static_cast<ptrdiff_t>(length));
    }
    after.push_back({changedBytes[i].size(), nullptr, [&bytes = changedBytes[i]](uint64_t offset, std::span<std::byte> out) {
                       std::memcpy(out.data(), bytes.data() + offset, out.size());
                       return Expected<void>();
                     }});
  }
  return writer.add(sample.manifest, before, changed, after);
}

inline std::unique_ptr<SetWriter> openWriter(const fs::path& set, bool append = false) {
  SetWriter::Options options;
  options.directory = set;
  options.append = append;
  auto writer = SetWriter::open(options);
  EXPECT_TRUE(writer);
  return std::move(*writer);
}

/// Writes one recording with its own writer; the manifest's path.
inline fs::path record(const fs::path& set, Sample sample, bool append = false) {
  auto writer = openWriter(set, append);
  std::string ir = "code of " + sample.manifest.kernel;
  auto code = writer->addCode(CodeKind::Llvm, std::as_bytes(std::span(ir)), "bc");
  EXPECT_TRUE(code);
  sample.manifest.code = {*code};
  auto added = write(*writer, sample);
  EXPECT_TRUE(added) << (added ? "" : added.error().message());
  auto finished = writer->finish();
  EXPECT_TRUE(finished);
  return added ? added->manifest : fs::path();
}

/// Both snapshots in full; an Error if anything is damaged.
inline Expected<std::pair<std::vector<Bytes>, std::vector<Bytes>>> readBack(Recording& recording, unsigned threads = 2) {
  std::vector<Bytes> before;
  for (const auto& region : recording.manifest().regions) before.emplace_back(region.range.size, std::byte{0xee});
  auto copyInto = [](std::vector<Bytes>& regions) {
    return [&regions](size_t region, uint64_t offset, std::span<const std::byte> bytes) -> Expected<void> {
      std::memcpy(regions[region].data() + offset, bytes.data(), bytes.size());
      return {};
    };
  };
  if (auto done = recording.readBefore(threads, copyInto(before)); !done) return std::move(done).error();
  auto after = before;
  if (auto done = recording.readAfter(threads, copyInto(after)); !done) return std::move(done).error();
  return std::pair(std::move(before), std::move(after));
}

}  // namespace mneme::format::test
