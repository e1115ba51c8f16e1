// SPDX-License-Identifier: Apache-2.0
/// What a launch costs that is not recorded, and how fast captured memory is searched for pointers.
#include <benchmark/benchmark.h>

#include <random>

#include "../record/fakes.h"
#include "record/reach.h"

namespace mneme::record::test {
namespace {

constexpr const char* kName =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_";

Options onlyKernel(const char* pattern) {
  Options options = Fixture::defaults();
  options.kernels = *Pattern::compile(pattern);
  return options;
}

/// One recorder for all threads of a benchmark.
Fixture& program(const char* pattern) {
  static std::map<std::string, std::unique_ptr<Fixture>> programs;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  auto& made = programs[pattern];
  if (!made) {
    made = std::make_unique<Fixture>();
    made->start(onlyKernel(pattern));
  }
  return *made;
}

void launches(benchmark::State& state, const char* pattern) {
  Fixture& fixture = program(pattern);
  Arguments arguments;
  for (int i = 0; i < 8; ++i) arguments.add(i);
  const LaunchInfo info = arguments.launch(kName);
  fixture.launch(info);
  for (auto _ : state) {
    LaunchToken token = fixture.recorder->launching(info);
    benchmark::DoNotOptimize(token);
    fixture.recorder->launched(std::move(token), true);
  }
}

void FilteredLaunch(benchmark::State& state) { launches(state, "^other$"); }
void AlreadyRecordedLaunch(benchmark::State& state) { launches(state, "vectorized"); }
BENCHMARK(FilteredLaunch)->Threads(1)->Threads(2);
BENCHMARK(AlreadyRecordedLaunch)->Threads(1)->Threads(2);

/// Random floats between two live allocations far apart: the least selective window a host program has.
void SearchFloats(benchmark::State& state) {
  std::vector<float> floats(static_cast<size_t>(state.range(0)) / sizeof(float));
  std::mt19937 random(1);
  for (float& value : floats) value = std::uniform_real_distribution<float>(-1, 1)(random);
  const auto bytes = std::as_bytes(std::span(floats));
  const std::array<AddressWindow, 2> windows{AddressWindow{0x600000000000, uint64_t{1} << 40},
                                             AddressWindow{0x7f0000000000, uint64_t{1} << 40}};
  for (auto _ : state) {
    size_t found = 0;
    auto scanned = scanWords(bytes, 0, windows, [&](uint64_t, size_t) {
      ++found;
      return Expected<void>();
    });
    benchmark::DoNotOptimize(scanned);
    benchmark::DoNotOptimize(found);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(SearchFloats)->Arg(64 << 20);

}  // namespace
}  // namespace mneme::record::test

BENCHMARK_MAIN();
