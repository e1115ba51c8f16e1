// SPDX-License-Identifier: Apache-2.0
/// The decision on process medians that an H200 gave for the same code, kernels from 5 us to 5 ms.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gate/calibration.h"

namespace mneme::gate {
namespace {

struct Kernel {
  std::string name;
  std::vector<Pair> same;  ///< of processes next to each other
  [[nodiscard]] double nanoseconds() const { return same.front().baseline; }
};

std::vector<Kernel> recorded() {
  const auto all = nlohmann::json::parse(std::ifstream(MNEME_GATE_DATA "/h200_processes.json"));
  std::vector<Kernel> kernels;
  for (const auto& [name, kernel] : all["kernels"].items()) {
    Kernel one{name, {}};
    for (const auto& run : kernel["runs"])
      for (size_t i = 0; i + 1 < run.size(); i += 2) one.same.push_back({run[i].get<double>(), run[i + 1].get<double>()});
    kernels.push_back(std::move(one));
  }
  return kernels;
}

TEST(RecordedSamples, AreOfEnoughKernels) {
  const auto kernels = recorded();
  ASSERT_GE(kernels.size(), 6u);
  for (const auto& kernel : kernels) EXPECT_GE(kernel.same.size(), 24u) << kernel.name;
  EXPECT_LT(std::min_element(kernels.begin(), kernels.end(), [](auto& a, auto& b) { return a.nanoseconds() < b.nanoseconds(); })->nanoseconds(), 6000);
}

TEST(RecordedSamples, FewerThanOneAlarmInAThousand) {
  for (const auto& kernel : recorded()) {
    const auto rates = resample(kernel.same, {}, 1, 10'000);
    EXPECT_LE(rates.alarms(), 0.001) << kernel.name << ": " << rates.regression << " regressions, " << rates.undecided << " undecided";
  }
}

TEST(RecordedSamples, SlowdownsOfLongKernelsAreFound) {
  for (const auto& kernel : recorded()) {
    if (kernel.nanoseconds() < 20'000) continue;
    EXPECT_GE(resample(kernel.same, {}, 1.02, 2000).regression, 0.95) << kernel.name;
    EXPECT_GE(resample(kernel.same, {}, 1.05, 2000).regression, 0.995) << kernel.name;
  }
}

TEST(RecordedSamples, ShortKernelsNeedLargerSlowdowns) {
  for (const auto& kernel : recorded()) {
    if (kernel.nanoseconds() >= 20'000) continue;
    EXPECT_GE(resample(kernel.same, {}, 1.05, 2000).regression, 0.95) << kernel.name;
    EXPECT_LT(resample(kernel.same, {}, 1.01, 2000).regression, 0.5) << kernel.name << ": below the limit of its length";
  }
}

}  // namespace
}  // namespace mneme::gate
