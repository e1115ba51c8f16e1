// SPDX-License-Identifier: Apache-2.0
/// The store and tuned.json: what goes in comes out, damage is passed over or named, order and text are stable.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tune/store.h"
#include "tune/tuned_file.h"

namespace mneme::tune {
namespace {

class FilesTest : public testing::Test {
 protected:
  FilesTest() {
    auto name = testing::TempDir() + "mneme_files_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FilesTest() override { std::filesystem::remove_all(folder_); }
  std::string textOf(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

Candidate candidate() {
  Candidate result;
  result.shape.block = {64, 2, 1};
  result.shape.grid = {7, 1, 1};
  result.shape.dynamicSharedBytes = 48;
  result.knobs = {{"fold_grid", true}, {"pipeline", std::string("default<O2>")}};
  result.macros = {{"TILE", int64_t{4}}, {"SCALE", 1.5}};
  return result;
}

TEST_F(FilesTest, StoredTrialsComeBack) {
  const auto path = storePath(folder_ / "set" / "k.12345678.json");
  EXPECT_EQ(path, folder_ / "set" / "tuning" / "k.12345678.jsonl");
  EXPECT_TRUE(readStore(path)->empty());
  ASSERT_TRUE(appendTrial(path, {"c", "d", "now", {{"x", int64_t{3}}}, candidate(), {{}, {}, 12.5, {12.0, 13.0}, "1f2e"}}));
  ASSERT_TRUE(appendTrial(path, {"c", "d", "now", {}, candidate(), {"wrong", "3 elements differ", 0, {}}}));
  auto trials = readStore(path);
  ASSERT_TRUE(trials);
  ASSERT_EQ(trials->size(), 2u);
  EXPECT_EQ((*trials)[0].configuration, (Configuration{{"x", int64_t{3}}}));
  EXPECT_EQ((*trials)[0].candidate.shape, candidate().shape);
  EXPECT_EQ((*trials)[0].candidate.knobs, candidate().knobs);
  EXPECT_EQ((*trials)[0].candidate.macros, candidate().macros);
  EXPECT_EQ((*trials)[0].result.samples, (std::vector{12.0, 13.0}));
  EXPECT_EQ((*trials)[0].result.code, "1f2e");
  EXPECT_EQ((*trials)[1].result.failure, "wrong");
}

TEST_F(FilesTest, LinesThatAreNoTrialsArePassedOver) {
  const auto path = folder_ / "s.jsonl";
  std::ofstream(path) << "\n{}\nnonsense\n[1]\n{\"context\": \"c\", \"device\": 7}\n{\"context\": \"cut o";
  EXPECT_TRUE(readStore(path)->empty());
  ASSERT_TRUE(appendTrial(path, {"c", "d", "now", {}, candidate(), {{}, {}, 1, {}}}));
  EXPECT_EQ(readStore(path)->size(), 1u) << "the line after one that was cut off";
}

TunedEntry entry(const std::string& kernel, double gain) {
  TunedEntry e;
  e.kernel = kernel, e.name = "k", e.device = "D", e.problem = "p", e.gain = gain;
  e.candidate = candidate();
  e.configuration = {{"x", int64_t{1}}};
  return e;
}

TEST_F(FilesTest, TunedEntriesReplaceTheirOwnAndKeepTheirOrder) {
  const auto path = folder_ / "tuned.json";
  EXPECT_TRUE(readTuned(path)->empty());
  EXPECT_TRUE(*writeTuned(path, entry("b", 1.5)));
  EXPECT_TRUE(*writeTuned(path, entry("a", 1.25)));
  const auto text = textOf(path);
  EXPECT_FALSE(*writeTuned(path, entry("b", 1.5))) << "nothing changed";
  EXPECT_EQ(textOf(path), text);
  EXPECT_TRUE(*writeTuned(path, entry("b", 2)));
  auto entries = readTuned(path);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].kernel, "a");
  EXPECT_EQ((*entries)[1].gain, 2);
  EXPECT_EQ((*entries)[1].candidate.macros, candidate().macros);
}

TEST_F(FilesTest, AFileThatIsNotOursIsNeverOverwritten) {
  const auto path = folder_ / "tuned.json";
  for (const char* text : {"", "{}", "[1]", "{\"mneme_tuned\": 1, \"kernels\": [{}]}", "{\"mneme_tuned\": 2, \"kernels\": []}"}) {
    std::ofstream(path) << text;
    auto written = writeTuned(path, entry("a", 1));
    ASSERT_FALSE(written) << text;
    EXPECT_EQ(written.error().code(), ErrorCode::CorruptRecording);
    EXPECT_EQ(textOf(path), text);
  }
}

TEST(Candidate, HostileJsonIsRefused) {
  using Json = nlohmann::json;
  const Json good = toJson(candidate());
  ASSERT_TRUE(candidateFrom(good));
  for (const char* bad : {R"({"grid": [1, 1]})", R"({"grid": [0, 1, 1]})", R"({"grid": [-1, 1, 1]})", R"({"grid": "x"})", R"({"shared": -1})",
                          R"({"knobs": [1]})", R"({"macros": {"A": null}})", R"({"block": [4294967296, 1, 1]})"}) {
    Json json = good;
    json.update(Json::parse(bad));
    EXPECT_FALSE(candidateFrom(json)) << bad;
  }
  for (const char* bad : {"{}", "[]", R"({"time_ns": 0, "samples_ns": []})", R"({"time_ns": 1})", R"({"time_ns": 1, "samples_ns": ["x"]})",
                          R"({"failure": "other", "reason": "r"})", R"({"failure": "wrong"})"})
    EXPECT_FALSE(trialResultFrom(Json::parse(bad))) << bad;
}

}  // namespace
}  // namespace mneme::tune
