// SPDX-License-Identifier: Apache-2.0
/// Writing and reading a recording of random floats, against `zstd -1 -T2` into a file and `cat` plus a copy.
/// MNEME_BENCH_MIB (default 1024) is its size; TMPDIR is where it is written.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

#include "format/recording_set.h"

namespace {
namespace fs = std::filesystem;
using namespace mneme::format;

size_t benchBytes() {
  const char* mib = std::getenv("MNEME_BENCH_MIB");
  return (mib ? std::strtoull(mib, nullptr, 10) : 1024) << 20;
}

const std::vector<float>& randomFloats() {
  static const std::vector<float> floats = [] {
    std::vector<float> out(benchBytes() / sizeof(float));
    std::mt19937 random(1);
    for (auto& f : out) f = static_cast<float>(random()) / 4294967296.0f;
    return out;
  }();
  return floats;
}

fs::path scratch() { return fs::temp_directory_path() / ("mneme-bench-" + std::to_string(::getpid())); }

fs::path writeRecording(const fs::path& set) {
  const auto& floats = randomFloats();
  SetWriter::Options options;
  options.directory = set;
  auto writer = SetWriter::open(options);
  Manifest manifest;
  manifest.kernel = "_Z5benchPf";
  Region region;
  region.range = {0x10000000, floats.size() * sizeof(float), mneme::MemoryKind::Device, ""};
  manifest.regions.push_back(region);
  RegionSource before{region.range.size, reinterpret_cast<const std::byte*>(floats.data()), {}}, after;
  std::vector<std::vector<uint32_t>> changed(1);
  auto added = (*writer)->add(manifest, {&before, 1}, changed, {&after, 1});
  auto finished = (*writer)->finish();
  return added && finished ? added->manifest : fs::path();
}

void setBytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * static_cast<int64_t>(benchBytes())));
}

void BM_WriteRecording(benchmark::State& state) {
  randomFloats();
  for (auto _ : state) {
    if (writeRecording(scratch()).empty()) state.SkipWithError("cannot write");
    state.PauseTiming();
    fs::remove_all(scratch());
    state.ResumeTiming();
  }
  setBytes(state);
}

void writeRawFile(const fs::path& path) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(randomFloats().data()), static_cast<std::streamsize>(benchBytes()));
}

/// Reads the floats from a file, as the command would be used on a dump; the file is in the page cache.
void BM_ZstdCommand(benchmark::State& state) {
  fs::create_directories(scratch());
  auto raw = scratch() / "raw", packed = scratch() / "raw.zst";
  writeRawFile(raw);
  auto command = "zstd -q -f -1 -T2 " + raw.string() + " -o " + packed.string();
  for (auto _ : state)
    if (std::system(command.c_str()) != 0) state.SkipWithError("no zstd command");
  setBytes(state);
  fs::remove_all(scratch());
}

void BM_ReadRecording(benchmark::State& state) {
  auto path = writeRecording(scratch());
  std::vector<std::byte> memory(benchBytes());
  for (auto _ : state) {
    auto recording = Recording::open(path);
    if (!recording) return state.SkipWithError("cannot open");
    auto done = (*recording)->readBefore(2, [&](size_t, uint64_t offset, std::span<const std::byte> bytes) -> mneme::Expected<void> {
      std::memcpy(memory.data() + offset, bytes.data(), bytes.size());
      return {};
    });
    if (!done) state.SkipWithError("cannot read");
  }
  setBytes(state);
  fs::remove_all(scratch());
}

void BM_CatAndCopy(benchmark::State& state) {
  auto path = writeRecording(scratch());
  auto command = "cat " + (scratch() / "data").string() + "/*.pack > /dev/null";
  std::vector<std::byte> memory(benchBytes());
  for (auto _ : state) {
    if (path.empty() || std::system(command.c_str()) != 0) state.SkipWithError("cannot read");
    std::memcpy(memory.data(), randomFloats().data(), memory.size());
    benchmark::ClobberMemory();
  }
  setBytes(state);
  fs::remove_all(scratch());
}

BENCHMARK(BM_WriteRecording)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(BM_ZstdCommand)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(BM_ReadRecording)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(BM_CatAndCopy)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace

BENCHMARK_MAIN();
