// SPDX-License-Identifier: Apache-2.0
/// A batch has no memory restored inside it. So a kernel is launched in batches only if its second launch takes about as
/// long as its first: one that finds its work done would else be timed doing nothing.
#include "measure/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

namespace mneme::measure {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kProbes = 5;               // of first and second launches
// A second launch finds caches and clock warm, and so is shorter than a first one whatever it does. Half of it and less is
// work not done.
constexpr double kLeastShare = 0.5, kMostShare = 1.5;
constexpr double kTimerGrain = 1000;          // nanoseconds that single launches may differ by for no reason
constexpr unsigned kCheckEvery = 5;           // samples between two looks at the stopping rule
constexpr size_t kResamples = 200;            // for stopping; the final interval takes more
constexpr std::chrono::microseconds kCheapReading{200};  // of the clock; dearer ones are made at every few samples only
constexpr double kSlowClock = 0.75;           // of the highest clock seen
constexpr unsigned kMaxDiscarded = 20;        // then the device is what it is
constexpr std::chrono::milliseconds kLongestPause{320};
constexpr double kNoisy = 0.05, kDrifting = 0.03;

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", fraction * 100);
  return text;
}

class Measuring {
 public:
  Measuring(Workload& workload, const Options& options) : workload_(workload), options_(options) {}

  Expected<Measurement> run() {
    if (auto warm = warmUp(); !warm) return std::move(warm).error();
    if (auto planned = plan(); !planned) return std::move(planned).error();
    if (auto sampled = sample(); !sampled) return std::move(sampled).error();
    finish();
    return std::move(result_);
  }

 private:
  /// From restored memory; nanoseconds of all launches.
  Expected<uint64_t> runOnce(unsigned launches, bool cold) {
    if (auto done = workload_.restore(); !done) return std::move(done).error();
    if (cold)
      if (auto done = workload_.flushCaches(); !done) return std::move(done).error();
    return workload_.run(launches);
  }

  Expected<void> warmUp() {
    const auto end = Clock::now() + options_.warmUp;
    do {
      auto time = runOnce(1, false);
      if (!time) return std::move(time).error();
      ++result_.warmUps;
    } while (Clock::now() < end && result_.warmUps < options_.maxSamples);
    return {};
  }

  /// Chooses batch and cache from a few launches on restored memory and as many second ones.
  Expected<void> plan() {
    std::vector<double> firsts, seconds;
    for (unsigned i = 0; i < kProbes; ++i) {
      auto first = runOnce(1, false);
      if (!first) return std::move(first).error();
      auto second = workload_.run(1);
      if (!second) return std::move(second).error();
      firsts.push_back(static_cast<double>(*first));
      seconds.push_back(static_cast<double>(*second));
    }
    result_.warmUps += 2 * kProbes;
    static_cast<void>(isSlowedDown());  // the first reading may load a library
    const auto begin = Clock::now();
    static_cast<void>(isSlowedDown());
    readEvery_ = Clock::now() - begin > kCheapReading ? kCheckEvery : 1;
    chooseBatch(median(firsts), median(seconds));
    result_.cache = options_.cache != Cache::Auto ? options_.cache : result_.batch > 1 ? Cache::Warm : Cache::Cold;
    return {};
  }

  void chooseBatch(double first, double second) {
    if (first >= static_cast<double>(options_.batchBelow) || options_.cache == Cache::Cold) return;
    if (second < kLeastShare * first || second > kMostShare * first + kTimerGrain) {
      result_.remarks.push_back("a second launch on the same memory takes another time, so each is timed alone");
      return;
    }
    const double fitting = std::ceil(static_cast<double>(options_.batchLength) / std::max(second, 1.0));
    result_.batch = static_cast<unsigned>(std::clamp(fitting, 1.0, static_cast<double>(options_.maxBatch)));
  }

  Expected<void> sample() {
    const auto end = Clock::now() + options_.budget;
    auto pause = options_.firstPause;
    unsigned taken = 0;
    while (result_.samples.size() < options_.maxSamples) {
      const bool enough = result_.samples.size() >= options_.minSamples;
      if (enough && Clock::now() >= end) break;
      auto time = runOnce(result_.batch, result_.cache == Cache::Cold);
      if (!time) return std::move(time).error();
      const bool reads = ++taken % readEvery_ == 0 || result_.discarded > 0;
      if (reads && isSlowedDown() && result_.discarded < kMaxDiscarded) {
        ++result_.discarded;
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, kLongestPause);
        continue;
      }
      result_.samples.push_back(static_cast<double>(*time) / result_.batch);
      if (enough && result_.samples.size() % kCheckEvery == 0 && isPrecise()) break;
    }
    return {};
  }

  [[nodiscard]] bool isPrecise() const {
    return bootstrapMedian(result_.samples, 0.95, kResamples).width() <= options_.precision * median(result_.samples);
  }

  /// Looks at the clock right after a sample.
  bool isSlowedDown() {
    auto reading = workload_.readClock();
    if (!reading) return false;
    highest_ = std::max(highest_, reading->megahertz);
    clocks_.push_back(reading->megahertz);
    if (!reading->slowedBy.empty()) slowedBy_ = reading->slowedBy;
    return !reading->slowedBy.empty() || reading->megahertz < kSlowClock * highest_;
  }

  void finish() {
    result_.median = median(result_.samples);
    result_.interval = bootstrapMedian(result_.samples);
    result_.precise = result_.interval.width() <= options_.precision * result_.median;
    result_.spread = relativeSpread(result_.samples);
    result_.drift = relativeDrift(result_.samples);
    result_.throttled = result_.discarded == kMaxDiscarded;
    if (!clocks_.empty()) result_.megahertz = static_cast<uint32_t>(median(clocks_));
    remark();
  }

  void remark() {
    auto& remarks = result_.remarks;
    if (result_.discarded > 0)
      remarks.push_back(std::to_string(result_.discarded) + " samples thrown away: the device was slowed down" +
                        (slowedBy_.empty() ? "" : " by " + slowedBy_));
    if (result_.throttled) remarks.push_back("it stayed so, and these are the times of a slowed-down device");
    if (result_.spread > kNoisy) remarks.push_back("noisy: single samples spread by " + percent(result_.spread));
    if (std::abs(result_.drift) > kDrifting) remarks.push_back("drifting by " + percent(result_.drift) + " while it was measured");
  }

  Workload& workload_;
  const Options& options_;
  Measurement result_;
  std::vector<double> clocks_;
  uint32_t highest_ = 0;
  unsigned readEvery_ = 1;
  std::string slowedBy_;
};

}  // namespace

Expected<Measurement> measure(Workload& workload, const Options& options) { return Measuring(workload, options).run(); }

const char* name(Cache cache) {
  switch (cache) {
    case Cache::Auto: return "auto";
    case Cache::Cold: return "cold";
    case Cache::Warm: return "warm";
  }
  return "auto";
}

}  // namespace mneme::measure
