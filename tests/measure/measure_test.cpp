// SPDX-License-Identifier: Apache-2.0
/// Measuring without a device: a workload that answers from a script and remembers what was asked of it.
#include "measure/measure.h"

#include <gmock/gmock.h>
#include <random>

namespace mneme::measure {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class FakeWorkload final : public Workload {
 public:
  double nanoseconds = 100'000;  ///< of a launch on restored memory
  double secondLaunch = 100'000; ///< of one on memory that was not restored
  double noise = 0.001;          ///< relative deviation
  std::vector<device::ClockReading> clocks;  ///< given one after the other; the last one stays
  bool fails = false;

  unsigned restores = 0, flushes = 0, launches = 0, readings = 0, longest = 0;

  Expected<void> restore() override {
    ++restores;
    restored_ = true;
    return {};
  }
  Expected<void> flushCaches() override {
    ++flushes;
    return {};
  }
  Expected<uint64_t> run(unsigned count) override {
    if (fails) return Error(ErrorCode::Device, "it broke");
    double time = 0;
    for (unsigned i = 0; i < count; ++i) time += (i == 0 && restored_ ? nanoseconds : secondLaunch);
    restored_ = false;
    launches += count;
    longest = std::max(longest, count);
    std::normal_distribution<double> draw(1, noise);
    return static_cast<uint64_t>(time * draw(random_));
  }
  std::optional<device::ClockReading> readClock() override {
    if (clocks.empty()) return std::nullopt;
    return clocks[std::min<size_t>(readings++, clocks.size() - 1)];
  }

 private:
  bool restored_ = false;
  std::mt19937_64 random_{1};
};

Options quick() {
  Options options;
  options.warmUp = 0ms;
  options.budget = 10s;
  options.firstPause = 0ms;
  return options;
}

Measurement measured(FakeWorkload& workload, const Options& options = quick()) {
  auto result = measure(workload, options);
  EXPECT_TRUE(result) << result.error().message();
  return result ? *result : Measurement{};
}

TEST(Measure, RestoresAndFlushesBeforeEachSampleOfALongKernel) {
  FakeWorkload workload;
  const auto result = measured(workload);
  EXPECT_NEAR(result.median, 100'000, 200);
  EXPECT_TRUE(result.interval.contains(result.median));
  EXPECT_EQ(result.batch, 1u);
  EXPECT_EQ(result.cache, Cache::Cold);
  EXPECT_EQ(workload.flushes, result.samples.size());
  EXPECT_EQ(workload.restores, result.samples.size() + result.warmUps - 5) << "all but the second launches of the plan";
}

TEST(Measure, StopsWhenTheMedianIsKnown) {
  FakeWorkload steady, noisy;
  noisy.noise = 0.02;
  const auto few = measured(steady), many = measured(noisy);
  EXPECT_TRUE(few.precise);
  EXPECT_LE(few.samples.size(), 20u);
  EXPECT_GT(many.samples.size(), 100u);
  EXPECT_LE(many.samples.size(), 200u);
}

TEST(Measure, TakesItsFewestSamplesWhateverTheBudget) {
  FakeWorkload workload;
  workload.noise = 0.2;
  auto options = quick();
  options.budget = 0ms;
  options.minSamples = 7;
  const auto result = measured(workload, options);
  EXPECT_EQ(result.samples.size(), 7u);
  EXPECT_FALSE(result.precise);
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_THAT(result.remarks.front(), HasSubstr("noisy"));
}

TEST(Measure, ShortKernelsRunInBatchesWithWarmCaches) {
  FakeWorkload workload;
  workload.nanoseconds = workload.secondLaunch = 4000;
  const auto result = measured(workload);
  EXPECT_NEAR(result.batch, 50, 2);
  EXPECT_EQ(result.cache, Cache::Warm);
  EXPECT_EQ(workload.flushes, 0u);
  EXPECT_NEAR(result.median, 4000, 20) << "of one launch, not of the batch";
}

TEST(Measure, VeryShortKernelsHaveALimitedBatch) {
  FakeWorkload workload;
  workload.nanoseconds = workload.secondLaunch = 10;
  EXPECT_EQ(measured(workload).batch, 256u);
}

TEST(Measure, AKernelThatFindsItsWorkDoneIsTimedAlone) {
  FakeWorkload workload;
  workload.nanoseconds = 15'000;
  workload.secondLaunch = 2000;
  const auto result = measured(workload);
  EXPECT_EQ(result.batch, 1u);
  EXPECT_NEAR(result.median, 15'000, 100);
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_THAT(result.remarks.front(), HasSubstr("each is timed alone"));
}

TEST(Measure, AColdFirstLaunchIsNoReasonAgainstBatches) {
  FakeWorkload workload;
  workload.nanoseconds = 7000;
  workload.secondLaunch = 4000;
  EXPECT_NEAR(measured(workload).batch, 50, 2);
}

TEST(Measure, ColdCachesOnDemandMeanSingleLaunches) {
  FakeWorkload workload;
  workload.nanoseconds = workload.secondLaunch = 4000;
  auto options = quick();
  options.cache = Cache::Cold;
  const auto result = measured(workload, options);
  EXPECT_EQ(result.batch, 1u);
  EXPECT_EQ(workload.flushes, result.samples.size());
}

TEST(Measure, WarmCachesOnDemand) {
  FakeWorkload workload;
  auto options = quick();
  options.cache = Cache::Warm;
  EXPECT_EQ(measured(workload, options).cache, Cache::Warm);
  EXPECT_EQ(workload.flushes, 0u);
}

TEST(Measure, SamplesOfASlowedDownDeviceAreThrownAway) {
  FakeWorkload workload;
  workload.clocks = {{1980, ""}, {1980, ""}, {1980, ""}, {1200, ""}, {1980, "temperature"}, {1980, ""}};
  const auto result = measured(workload);
  EXPECT_EQ(result.discarded, 2u);
  EXPECT_FALSE(result.throttled);
  EXPECT_EQ(result.megahertz, 1980u);
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_THAT(result.remarks.front(), HasSubstr("slowed down by temperature"));
}

TEST(Measure, ADeviceThatStaysSlowIsMeasuredAndSaidSo) {
  FakeWorkload workload;
  workload.clocks = {{1980, "power brake"}};
  auto options = quick();
  options.budget = 0ms;
  const auto result = measured(workload, options);
  EXPECT_TRUE(result.throttled);
  EXPECT_EQ(result.samples.size(), options.minSamples);
}

TEST(Measure, DriftIsReported) {
  FakeWorkload workload;
  class Slower final : public Workload {
   public:
    double time = 100'000;
    Expected<void> restore() override { return {}; }
    Expected<void> flushCaches() override { return {}; }
    Expected<uint64_t> run(unsigned) override { return static_cast<uint64_t>(time *= 1.01); }
    std::optional<device::ClockReading> readClock() override { return std::nullopt; }
  } slower;
  auto options = quick();
  options.budget = 0ms;
  auto result = measure(slower, options);
  ASSERT_TRUE(result);
  EXPECT_GT(result->drift, 0.03);
  EXPECT_THAT(result->remarks, testing::Contains(HasSubstr("drifting")));
}

TEST(Measure, AFailingDeviceIsAnError) {
  FakeWorkload workload;
  workload.fails = true;
  auto result = measure(workload, quick());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::Device);
}

}  // namespace
}  // namespace mneme::measure
