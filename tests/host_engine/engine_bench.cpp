// SPDX-License-Identifier: Apache-2.0
/// What a launch costs: an empty kernel, the first launch of a new kernel, and the first launch from the cache.
/// Budgets: 5 us, 60 ms, 5 ms.
#include <benchmark/benchmark.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "backend/host/engine.h"
#include "base/file.h"

namespace {

namespace fs = std::filesystem;
using namespace mneme;

const char* const kSource = R"(
extern "C" __global__ void empty() {}
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) { int i = global(); if (i < n) y[i] = a * x[i] + y[i]; })";

fs::path directory() {
  static const fs::path made = [] {
    std::string pattern = (fs::temp_directory_path() / "mneme-bench-XXXXXX").string();
    return fs::path(::mkdtemp(pattern.data()) ? pattern : "");
  }();
  return made;
}

const std::vector<std::byte>& bitcode() {
  static const std::vector<std::byte> bytes = [] {
    std::ofstream(directory() / "k.cu") << kSource;
    const std::string command = std::string(MNEME_TEST_CLANG) +
        " -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_90 --cuda-device-only -emit-llvm -O2 -Xclang -disable-llvm-passes"
        " -Xclang -target-sdk-version=12.5 -Wno-unknown-cuda-version --cuda-feature=+ptx88 -include " MNEME_TEST_PRELUDE " -c -o " +
        (directory() / "k.bc").string() + " " + (directory() / "k.cu").string();
    if (std::system(command.c_str()) != 0) std::abort();
    return *readBytes(directory() / "k.bc", 1 << 24);
  }();
  return bytes;
}

/// The engine asks for the directory once, so all benchmarks share one.
void useCache() { ::setenv("MNEME_CACHE_DIR", (directory() / "cache").c_str(), 1); }

void emptyLaunch(benchmark::State& state) {
  useCache();
  auto module = *host::loadModule(bitcode());
  auto* kernel = *module->kernel("empty");
  LaunchShape shape;
  shape.grid.x = static_cast<uint32_t>(state.range(0)), shape.block.x = 32;
  for (auto _ : state) benchmark::DoNotOptimize(host::run(*kernel, shape, {}).fault);
}
BENCHMARK(emptyLaunch)->Arg(1)->Arg(16)->Arg(100000)->Arg(10000000);

void saxpy(benchmark::State& state) {
  useCache();
  auto module = *host::loadModule(bitcode());
  auto* kernel = *module->kernel("saxpy");
  const int count = 1 << 22;
  std::vector<float> x(count), y(count);
  struct { float a; const float* x; float* y; int n; } arguments{2, x.data(), y.data(), count};
  LaunchShape shape;
  shape.grid.x = count / 256, shape.block.x = 256;
  for (auto _ : state) benchmark::DoNotOptimize(host::run(*kernel, shape, std::as_bytes(std::span(&arguments, 1))).fault);
  state.SetBytesProcessed(state.iterations() * count * 12ll);
}
BENCHMARK(saxpy)->UseRealTime()->Unit(benchmark::kMillisecond);

/// Module and kernel from their bitcode; for the first launch the cache is emptied between runs.
void load(benchmark::State& state, bool cached) {
  useCache();
  const auto cache = directory() / "cache" / "host";
  for (auto _ : state) {
    if (!cached) {
      state.PauseTiming();
      fs::remove_all(cache);
      state.ResumeTiming();
    }
    auto module = *host::loadModule(bitcode());
    auto* kernel = *module->kernel("saxpy");
    benchmark::DoNotOptimize(kernel);
  }
}
BENCHMARK_CAPTURE(load, first, false)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, cached, true)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
