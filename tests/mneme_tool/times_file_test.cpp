// SPDX-License-Identifier: Apache-2.0
#include "times_file.h"

#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

namespace mneme::cli {
namespace {

using testing::HasSubstr;

class TimesFile : public testing::Test {
 protected:
  TimesFile() : file_(testing::TempDir() + "times_" + std::to_string(::getpid()) + ".json") {}
  ~TimesFile() override { std::filesystem::remove(file_); }

  std::string errorOf(const TimesOrigin& origin, const std::string& recording = "a.1") {
    auto loaded = loadTimes(file_, recording, origin);
    return loaded ? "" : loaded.error().message();
  }

  const TimesOrigin here_{"NVIDIA H200", "13.0", "nvcc 13.0"};
  const StoredTimes times_{"cold", 1, {100, 101, 99, 100.5}};
  std::filesystem::path file_;
};

TEST_F(TimesFile, KeepsTimesByRecording) {
  ASSERT_TRUE(storeTimes(file_, "a.1", here_, times_));
  ASSERT_TRUE(storeTimes(file_, "b.2", here_, {"warm", 50, {4, 5, 6, 7}}));
  auto a = loadTimes(file_, "a.1", here_), b = loadTimes(file_, "b.2", here_);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->medians, times_.medians);
  EXPECT_EQ(b->batch, 50u);
  EXPECT_EQ(b->cache, "warm");
}

TEST_F(TimesFile, TimesOfAnotherMachineAreRefusedByName) {
  ASSERT_TRUE(storeTimes(file_, "a.1", here_, times_));
  EXPECT_THAT(errorOf({"NVIDIA A100", "13.0", "nvcc 13.0"}), HasSubstr("another device: NVIDIA H200, here it is NVIDIA A100"));
  EXPECT_THAT(errorOf({"NVIDIA H200", "12.4", "nvcc 13.0"}), HasSubstr("another driver: 13.0, here it is 12.4"));
  EXPECT_THAT(errorOf({"NVIDIA H200", "13.0", "nvcc 12.6"}), HasSubstr("another compiler"));
  EXPECT_EQ(errorOf({"NVIDIA H200", "13.0", ""}), "") << "what is not known is no difference";
  auto added = storeTimes(file_, "b.2", {"NVIDIA A100", "13.0", ""}, times_);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::Mismatch);
}

TEST_F(TimesFile, AMissingBaselineIsSaid) {
  EXPECT_NE(errorOf(here_), "");
  ASSERT_TRUE(storeTimes(file_, "a.1", here_, times_));
  EXPECT_THAT(errorOf(here_, "c.3"), HasSubstr("no baseline: "));
}

TEST_F(TimesFile, HostileFilesAreErrors) {
  for (const char* text : {"", "[]", "{}", "{\"times\": 1}", "{\"times\": {}}", "{\"format\": 9, \"times\": {}}", "nonsense",
                           "{\"format\": 1, \"times\": {\"a.1\": 3}}", "{\"format\": 1, \"times\": {\"a.1\": {\"medians_ns\": [1]}}}",
                           "{\"format\": 1, \"times\": {\"a.1\": {\"medians_ns\": [1, 2, -3, 4]}}}",
                           "{\"format\": 1, \"times\": {\"a.1\": {\"medians_ns\": [1, 2, \"x\", 4]}}}"}) {
    std::ofstream(file_) << text;
    EXPECT_NE(errorOf(here_), "") << text;
  }
}

}  // namespace
}  // namespace mneme::cli
