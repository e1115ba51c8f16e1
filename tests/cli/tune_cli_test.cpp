// SPDX-License-Identifier: Apache-2.0
/// `mneme tune --simulate`: its JSON, its exit codes, and what it says of files that are no spaces.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "command.h"

namespace mneme::cli::test {
namespace {

class TuneTest : public CommandTest {
 protected:
  TuneTest() {
    std::string entries;
    for (int x = 0; x < 12; ++x)
      for (int y = 0; y < 12; ++y) {
        const std::string key = std::to_string(x) + "," + std::to_string(y);
        const std::string time = x == 11 ? "\"RuntimeFailedConfig\"" : std::to_string(1 + (x - 6) * (x - 6) + (y - 3) * (y - 3));
        entries += (entries.empty() ? "\"" : ",\"") + key + "\": {\"x\": " + std::to_string(x) + ", \"y\": " + std::to_string(y) + ", \"time\": " + time + "}";
      }
    writeFile("space.json", "{\"kernel_name\": \"k\", \"device_name\": \"d\", \"tune_params_keys\": [\"x\", \"y\"], \"cache\": {" + entries + "}}");
  }
};

TEST_F(TuneTest, SimulationPrintsItsTraceAsJson) {
  const auto run = shell("mneme tune --simulate space.json --strategy auto --budget 40 --seed 3 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["optimum_time"], 1.0);
  EXPECT_EQ(json["evaluations"], 40);
  const auto& last = json["trace"].back();
  EXPECT_EQ(last[0], 40);
  EXPECT_EQ(last[1], json["best_time"]);
  for (size_t i = 1; i < json["trace"].size(); ++i) {
    EXPECT_LT(json["trace"][i - 1][0], json["trace"][i][0]);
    EXPECT_GE(json["trace"][i - 1][1], json["trace"][i][1]);
  }
  EXPECT_EQ(shell("mneme tune --simulate space.json --budget 40 --seed 3 --json").out, run.out) << "auto is the default";
  EXPECT_NE(shell("mneme tune --simulate space.json --budget 40 --seed 4 --json").out, run.out);
}

TEST_F(TuneTest, GzipIsReadTheSame) {
  const auto plain = shell("mneme tune --simulate space.json --budget 10 --json").out;
  EXPECT_EQ(shell("gzip -k space.json && mneme tune --simulate space.json.gz --budget 10 --json").out, plain);
}

TEST_F(TuneTest, FilesThatAreNoSpacesExitWith3) {
  writeFile("bad.json", "{\"cache\": 7, \"tune_params_keys\": []}");
  writeFile("cut.gz", std::string("\x1f\x8b\x08\x00\x00", 5));
  for (const char* name : {"bad.json", "cut.gz"}) {
    const auto run = shell(std::string("mneme tune --simulate ") + name);
    EXPECT_EQ(run.code, 3) << name;
    EXPECT_THAT(run.err, testing::StartsWith(std::string("mneme: ") + name + ": "));
    EXPECT_EQ(run.out, "");
  }
}

TEST_F(TuneTest, WrongUsageExitsWith2) {
  EXPECT_EQ(shell("mneme tune --simulate none.json").code, 2);
  EXPECT_THAT(shell("mneme tune --simulate space.json --strategy best").err, testing::HasSubstr("no strategy 'best'; there are auto, "));
  for (const char* budget : {"0", "-1", "x", "1.5", "99999999999999999999"})
    EXPECT_EQ(shell(std::string("mneme tune --simulate space.json --budget=") + budget).code, 2) << budget;
}

TEST_F(TuneTest, WhereEverythingFailsNothingIsDecided) {
  writeFile("one.json", R"({"tune_params_keys": ["x"], "cache": {"1": {"x": 1, "time": "f"}, "2": {"x": 2, "time": 1}}})");
  const auto run = shell("mneme tune --simulate one.json --strategy exhaustive --budget 1 --json");
  EXPECT_EQ(run.code, 5);
  EXPECT_TRUE(nlohmann::json::parse(run.out)["best_time"].is_null());
}

}  // namespace
}  // namespace mneme::cli::test
