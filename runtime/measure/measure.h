// SPDX-License-Identifier: Apache-2.0
/// Times a workload: warm-up, memory restored between runs, batches for what is short, samples until the median is known
/// well enough, samples of a throttled device thrown away. Everything that was noticed on the way is in the result.
///
///   measure::SessionWorkload workload(session, device);          // a verified ReplaySession with keepChanged
///   auto measured = measure::measure(workload, {.budget = 500ms});
///   if (measured) use(measured->median, measured->interval);     // nanoseconds of one launch
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/statistics.h"
#include "measure/workload.h"

namespace mneme::measure {

enum class Cache : uint8_t {
  Auto,  ///< Cold for single launches of a device with caches to flush, Warm for batches
  Cold,  ///< flushed before each sample
  Warm,  ///< as the run before left them
};

struct Options {
  Cache cache = Cache::Auto;
  unsigned minSamples = 10;
  unsigned maxSamples = 200;
  double precision = 0.002;        ///< stop when the median's 95 % interval is this narrow, as a fraction of the median
  std::chrono::milliseconds budget{500};  ///< of wall time for sampling; minSamples are taken all the same
  std::chrono::milliseconds warmUp{30};   ///< at least one launch
  uint64_t batchBelow = 20'000;    ///< nanoseconds: shorter kernels are launched many times a sample
  uint64_t batchLength = 200'000;  ///< nanoseconds that a batch shall take
  unsigned maxBatch = 256;
  std::chrono::milliseconds firstPause{20};  ///< after a sample of a slowed-down device; doubled from one to the next
};

struct Measurement {
  std::vector<double> samples;  ///< nanoseconds of one launch, in the order taken
  double median = 0;
  Interval interval;            ///< of the median, 95 %
  Cache cache = Cache::Cold;    ///< never Auto
  unsigned batch = 1;           ///< launches a sample
  unsigned warmUps = 0;         ///< launches before the first sample
  bool precise = false;         ///< the precision was reached
  double spread = 0;            ///< robust deviation of the samples over the median
  double drift = 0;             ///< second half over first half, as a fraction
  unsigned discarded = 0;       ///< samples thrown away because the device was slowed down
  bool throttled = false;       ///< it never stopped being so: the samples are of a slowed-down device
  uint32_t megahertz = 0;       ///< median of the clock readings; 0: unknown
  std::vector<std::string> remarks;  ///< what a reader of the numbers should know, a clause each
};

/// Errors are the device's.
[[nodiscard]] Expected<Measurement> measure(Workload& workload, const Options& options = {});

[[nodiscard]] const char* name(Cache cache);

}  // namespace mneme::measure
