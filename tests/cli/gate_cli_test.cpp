// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "command.h"

namespace mneme::cli::test {
namespace {

using testing::HasSubstr;

class GateCommand : public CommandTest {};

TEST_F(GateCommand, WrongUsageExits2) {
  const auto recording = makeRecording("host");
  const auto gate = "mneme gate " + recording + " --code out.txt ";
  EXPECT_EQ(shell("mneme gate " + recording).code, 2);
  EXPECT_THAT(shell("mneme gate " + recording).err, HasSubstr("--code BINARY is missing"));
  EXPECT_EQ(shell(gate + "--kinds speed").code, 2);
  EXPECT_EQ(shell(gate + "--max-slowdown 0.5").code, 2);
  EXPECT_EQ(shell(gate + "--max-slowdown x").code, 2);
  EXPECT_EQ(shell(gate + "--min-effect 5parsec").code, 2);
  EXPECT_EQ(shell(gate + "--undecided maybe").code, 2);
  EXPECT_THAT(shell(gate + "--static-limits registers=-1").err, HasSubstr("registers=+0"));
  EXPECT_EQ(shell(gate + "--static-limits registers=-1").code, 2);
  EXPECT_THAT(shell(gate + "--baseline build/none").err, HasSubstr("build/none: no such file"));
  EXPECT_EQ(shell("mneme gate " + recording + " --code build/none").code, 2);
}

TEST_F(GateCommand, UnreadableRecordingsExit3) {
  writeFile("broken.json", "{\"format\": ");
  for (const char* kind : {"verify", "perf", "static"})
    EXPECT_EQ(shell(std::string("mneme gate broken.json --code out.txt --kinds ") + kind).code, 3) << kind;
}

TEST_F(GateCommand, AbsentDevicesSkip) {
  const auto recording = makeRecording("cuda");
  const auto result = shell("mneme gate " + recording + " --code out.txt --kinds perf --device cuda:63");
  EXPECT_EQ(result.code, 77) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("SKIP perf add."));
  EXPECT_EQ(shell("MNEME_REQUIRE_BACKENDS=cuda mneme gate " + recording + " --code out.txt --kinds perf --device cuda:63").code, 4);
}

TEST_F(GateCommand, DebugBuildsAreSkipped) {
  const auto result = shell("mneme gate " + makeRecording("host") + " --code out.txt --kinds perf --build-type Debug");
  EXPECT_EQ(result.code, 77);
  EXPECT_THAT(result.out, HasSubstr("Debug build"));
}

TEST_F(GateCommand, ReportsGoWhereTheyAreAsked) {
  const auto recording = makeRecording("host");
  const auto result = shell("GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md mneme gate " + recording +
                            " --code out.txt --kinds verify --device host --junit j.xml --gitlab-metrics m.txt --history h.jsonl");
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("::error title=mneme verify%3A add."));
  EXPECT_THAT(fileText(folder_ / "summary.md"), HasSubstr("| verify | **"));
  EXPECT_THAT(fileText(folder_ / "j.xml"), HasSubstr("classname=\"mneme.gate\" name=\"add."));
  EXPECT_THAT(fileText(folder_ / "m.txt"), HasSubstr("# EOF"));
  EXPECT_EQ(nlohmann::json::parse(fileText(folder_ / "h.jsonl"))["kind"], "verify");
}

std::string historyLine(int day, double nanoseconds) {
  char text[300];
  std::snprintf(text, sizeof text,
                R"({"time":"2026-01-%02dT00:00:00Z","commit":"c%02d","name":"add.1","kind":"perf","device":"GPU <1>","candidate_ns":%f,"verdict":"pass"})",
                day, day, nanoseconds);
  return std::string(text) + "\n";
}

TEST_F(GateCommand, HistoryFindsTheCommitOfAChange) {
  std::string lines = "not a line\n";
  for (int day = 1; day <= 24; ++day) lines += historyLine(day, (day < 13 ? 100e3 : 110e3) + day % 3 * 300);
  writeFile("times.jsonl", lines);
  const auto text = shell("mneme history times.jsonl --html page.html");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("add.1 on GPU <1>: 24 runs"));
  EXPECT_THAT(text.out, HasSubstr("since 2026-01-13T00:00:00Z (c13)"));
  EXPECT_THAT(text.err, HasSubstr("1 line of times.jsonl cannot be read"));
  const auto page = fileText(folder_ / "page.html");
  EXPECT_THAT(page, HasSubstr("<line class=\"change\""));
  EXPECT_THAT(page, HasSubstr("GPU &lt;1&gt;"));
  const auto json = nlohmann::json::parse(shell("mneme history times.jsonl --json").out);
  ASSERT_EQ(json[0]["changes"].size(), 1u);
  EXPECT_EQ(json[0]["changes"][0]["commit"], "c13");
  EXPECT_EQ(shell("mneme history times.jsonl --kernel 'none'").out, "");
  EXPECT_EQ(shell("mneme history nothing.jsonl").code, 2);
}

TEST_F(GateCommand, AHistoryOfNothingReadableExits3) {
  writeFile("junk.jsonl", "not a line\n[1]\n{\"half\n");
  for (const char* options : {"", " --json"}) {
    const auto text = shell("mneme history junk.jsonl" + std::string(options));
    EXPECT_EQ(text.code, 3) << options;
    EXPECT_EQ(text.out, "") << options;
    EXPECT_THAT(text.err, HasSubstr("junk.jsonl holds no line that can be read")) << options;
    EXPECT_EQ(std::count(text.err.begin(), text.err.end(), '\n'), 1) << text.err;
  }
}

}  // namespace
}  // namespace mneme::cli::test
