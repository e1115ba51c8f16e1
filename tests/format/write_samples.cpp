// SPDX-License-Identifier: Apache-2.0
/// mneme_write_samples <folder>: a set of sample recordings, the same exported, and every region's bytes in plain files.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "format/archive.h"
#include "sample.h"

namespace mneme::format::test {
namespace {

void writePlain(const fs::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// Text, numbers and regions of every kind that a manifest spells in its own way.
Sample unusualSample() {
  Sample sample = makeSample("_Z7unusualv", 5);
  sample.manifest.tag = "a tag, \"quoted\", \xc3\xbc";
  sample.manifest.shape.cooperative = true;
  sample.manifest.rank = 3;
  sample.manifest.annotations.push_back({"out", ElementType::F64, 1e-7, 0.25, 12});
  sample.manifest.selfCheck["llvm"] = {SelfCheck::Result::ReproducedWithin, 3e-320, 1e22, 7, "tab\there"};
  for (int i = 0; i < 140; ++i) addRegion(sample, randomBytes(10, 100 + i), randomBytes(10, i % 2 ? 100 + i : i));
  return sample;
}

void describeChanges(Sample& sample) {
  for (size_t i = 0; i < sample.before.size(); ++i) {
    auto& region = sample.manifest.regions[i];
    for (uint32_t chunk : changedChunksOf(sample.before[i], sample.after[i]))
      region.changedBytes += std::min<uint64_t>(kChunkBytes, sample.before[i].size() - chunk * kChunkBytes);
    region.changed = region.changedBytes != 0;
  }
}

fs::path writeSample(const fs::path& folder, Sample sample) {
  describeChanges(sample);
  auto manifest = record(folder / "set", sample);
  for (size_t i = 0; i < sample.before.size(); ++i) {
    auto name = (folder / "expected" / manifest.filename()).string();
    writePlain(name + ".before." + std::to_string(i), sample.before[i]);
    writePlain(name + ".after." + std::to_string(i), sample.after[i]);
  }
  return manifest;
}

int writeAll(const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder / "expected");
  std::vector<fs::path> manifests{writeSample(folder, makeSample()), writeSample(folder, unusualSample())};
  auto tolerated = updateTolerances(folder / "set", [](ToleranceFile& file) -> Expected<void> {
    file.set("_Z7unusualv", {1e-6, std::nullopt, 4, "table"});
    file.set("_Z5otherv", {1e-6, std::nullopt, std::nullopt, std::nullopt});
    return {};
  });
  if (!tolerated) std::cerr << tolerated.error().message() << '\n';
  auto exported = exportRecordings(manifests, folder / "file.mneme", {});
  if (!exported) std::cerr << exported.error().message() << '\n';
  return exported ? 0 : 1;
}

}  // namespace
}  // namespace mneme::format::test

int main(int count, char** arguments) { return count == 2 ? mneme::format::test::writeAll(arguments[1]) : 2; }
