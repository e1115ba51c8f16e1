// SPDX-License-Identifier: Apache-2.0
/// Reading measured spaces: both formats, gzip, interrupted runs, and files that are not what they say.
#include "tune/measured_space.h"

#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <fstream>

namespace mneme::tune {
namespace {

class MeasuredSpaceTest : public testing::Test {
 protected:
  MeasuredSpaceTest() {
    auto name = testing::TempDir() + "mneme_space_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~MeasuredSpaceTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& text) {
    std::ofstream(folder_ / "f.json", std::ios::binary) << text;
    return folder_ / "f.json";
  }
  std::filesystem::path zipped(const std::string& text) {
    const auto path = folder_ / "f.json.gz";
    gzFile out = gzopen(path.c_str(), "wb");
    gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
    gzclose(out);
    return path;
  }
  std::string error(const std::string& text) {
    auto space = readMeasuredSpace(file(text));
    if (space) return "no error";
    EXPECT_EQ(space.error().code(), ErrorCode::CorruptRecording);
    return space.error().message().substr(space.error().message().find(": ") + 2);
  }
  std::filesystem::path folder_;
};

const std::string kEntries = R"("cache": {
"32,a": {"x": 32, "m": "a", "time": 2.5, "times": [2.0, 3.0]},
"16,a": {"x": 16, "m": "a", "time": 1.5, "times": [1.5, 1.5]},
"32,b": {"x": 32, "m": "b", "time": "CompilationFailedConfig"},
"16,b": {"x": 16, "m": "b", "time": 1e20})";
const std::string kHeader = R"({"device_name": "D", "kernel_name": "K", "tune_params_keys": ["x", "m"], )";
const std::string kCache = kHeader + kEntries + "}}";

void expectTheSpace(const Expected<MeasuredSpace>& space) {
  ASSERT_TRUE(space) << space.error().message();
  EXPECT_EQ(space->domain->points().size(), 4u);
  EXPECT_EQ(space->optimum, 1.5);
  EXPECT_EQ(text(space->domain->parameters()[0].values[0]), "16");
  EXPECT_EQ(space->measured.at({1, 0}).time, 2.5);
  EXPECT_TRUE(std::isinf(space->measured.at({0, 1}).time));
  EXPECT_TRUE(std::isinf(space->measured.at({1, 1}).time));
  EXPECT_THAT(space->measured.at({1, 0}).samples, testing::ElementsAre(2.0f, 3.0f));
}

TEST_F(MeasuredSpaceTest, ReadsCacheFiles) {
  auto space = readMeasuredSpace(file(kCache));
  expectTheSpace(space);
  EXPECT_EQ(space->kernel, "K");
  EXPECT_EQ(space->device, "D");
}

TEST_F(MeasuredSpaceTest, ReadsGzip) { expectTheSpace(readMeasuredSpace(zipped(kCache))); }

TEST_F(MeasuredSpaceTest, ReadsWhatAnInterruptedRunLeft) {
  expectTheSpace(readMeasuredSpace(file(kHeader + kEntries + ",\n")));
  expectTheSpace(readMeasuredSpace(file(kHeader + kEntries + ",\n\"8,a\": {\"x\": 8, \"ti")));
}

TEST_F(MeasuredSpaceTest, ReadsT4) {
  auto result = [](int x, const char* m, const std::string& rest) {
    return "{\"configuration\": {\"m\": \"" + std::string(m) + "\", \"x\": " + std::to_string(x) + "}, " + rest + "}";
  };
  auto measured = [](double time, const char* invalidity, const std::string& runtimes) {
    return "\"times\": {\"compilation\": 1, \"runtimes\": [" + runtimes + "]}, \"invalidity\": \"" + invalidity +
           "\", \"measurements\": [{\"name\": \"other\", \"value\": 0.1}, {\"name\": \"time\", \"value\": " + std::to_string(time) +
           ", \"unit\": \"\"}], \"objectives\": [\"time\"]";
  };
  auto space = readMeasuredSpace(file("{\"schema_version\": \"1.0.0\", \"results\": [" + result(32, "a", measured(2.5, "correct", "2.0, 3.0")) + "," +
                                      result(16, "a", measured(1.5, "correct", "")) + "," + result(32, "b", measured(0.5, "runtime", "")) + "," +
                                      result(16, "b", "\"invalidity\": \"compile\", \"measurements\": []") + "]}"));
  ASSERT_TRUE(space) << space.error().message();
  EXPECT_EQ(space->optimum, 1.5);
  EXPECT_EQ(space->domain->points().size(), 4u);
  EXPECT_TRUE(std::isinf(space->measured.at({1, 1}).time));
  EXPECT_THAT(space->measured.at({0, 1}).samples, testing::ElementsAre(2.0f, 3.0f));
}

TEST_F(MeasuredSpaceTest, WhatIsNotASpaceSaysWhy) {
  EXPECT_EQ(error(""), "not a JSON object");
  EXPECT_EQ(error("[1]"), "not a JSON object");
  EXPECT_EQ(error("{\"a\": 1}"), "neither a Kernel Tuner cache file (\"cache\") nor T4 results (\"results\")");
  EXPECT_EQ(error("{\"cache\": {}}"), "tune_params_keys: missing or not a list");
  EXPECT_EQ(error("{\"cache\": {}, \"tune_params_keys\": [\"x\"]}"), "not between 1 and 10000000 configurations");
  EXPECT_EQ(error("{\"cache\": [], \"tune_params_keys\": [\"x\"]}"), "cache: not an object");
  EXPECT_EQ(error("{\"cache\": {\"1\": {\"x\": 1}}, \"tune_params_keys\": [\"x\"]}"), "cache.1: has no time");
  EXPECT_EQ(error("{\"cache\": {\"1\": {\"time\": 1}}, \"tune_params_keys\": [\"x\"]}"), "cache.1: no value of the parameter 'x'");
  EXPECT_EQ(error("{\"cache\": {\"1\": {\"x\": [1], \"time\": 1}}, \"tune_params_keys\": [\"x\"]}"), "cache.1: no value of the parameter 'x'");
  EXPECT_EQ(error("{\"cache\": {\"1\": {\"x\": 1, \"time\": \"failed\"}}, \"tune_params_keys\": [\"x\"]}"), "no configuration has a time");
  EXPECT_EQ(error("{\"cache\": {\"1\": {\"x\": 1, \"time\": -1}}, \"tune_params_keys\": [\"x\"]}"), "no configuration has a time");
  EXPECT_EQ(error("{\"results\": []}"), "results: not a list of results");
  EXPECT_EQ(error("{\"results\": [{}]}"), "results.0: has no configuration");
  EXPECT_EQ(error("{\"cache\":" + std::string(100000, '[')), "nested deeper than 12 levels");
}

TEST_F(MeasuredSpaceTest, DamagedGzipIsRefused) {
  const auto path = zipped(kCache);
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size / 2);
  auto space = readMeasuredSpace(path);
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code(), ErrorCode::CorruptRecording);
  EXPECT_THAT(space.error().message(), testing::HasSubstr("damaged or cut off"));
}

TEST_F(MeasuredSpaceTest, AMissingFileIsNotFound) {
  auto space = readMeasuredSpace(folder_ / "none.json");
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code(), ErrorCode::NotFound);
}

}  // namespace
}  // namespace mneme::tune
