// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"

namespace mneme::cli::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ReplayCommand : public CommandTest {};

TEST_F(ReplayCommand, WrongUsageExits2) {
  EXPECT_EQ(shell("mneme replay").code, 2);
  EXPECT_EQ(shell("mneme replay x.json --as elf").code, 2);
  EXPECT_EQ(shell("mneme replay x.json --shape round").code, 2);
  EXPECT_EQ(shell("mneme replay x.json --tolerance rubbish").code, 2);
  EXPECT_EQ(shell("mneme replay x.json --timeout 0").code, 2);
  auto missing = shell("mneme replay x.json --code build/none");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("build/none"));
}

TEST_F(ReplayCommand, UnreadableRecordingExits3) {
  auto missing = shell("mneme replay nothing.json");
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.out, StartsWith("ERROR nothing: "));
  writeFile("broken.json", "{\"format\": ");
  EXPECT_EQ(shell("mneme replay broken.json").code, 3);
  writeFile("pointer.json", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
  auto pointer = shell("mneme replay pointer.json");
  EXPECT_EQ(pointer.code, 3);
  EXPECT_THAT(pointer.out, HasSubstr("git lfs pull"));
}

TEST_F(ReplayCommand, MissingPackExits3) {
  auto recording = makeRecording("host");
  fs::remove_all(folder_ / "set/data");
  auto result = shell("mneme replay --device host " + recording);
  EXPECT_EQ(result.code, 3) << result.out << result.err;
}

TEST_F(ReplayCommand, AbsentDeviceExits77) {
  auto result = shell("mneme replay --device cuda:63 " + makeRecording("cuda"));
  EXPECT_EQ(result.code, 77);
  EXPECT_THAT(result.out, StartsWith("SKIP add."));
}

TEST_F(ReplayCommand, RequiredBackendTurnsTheSkipIntoAFailure) {
  auto result = shell("MNEME_REQUIRE_BACKENDS=hip,cuda mneme replay --device cuda:63 " + makeRecording("cuda"));
  EXPECT_EQ(result.code, 4);
  EXPECT_THAT(result.out, HasSubstr("MNEME_REQUIRE_BACKENDS"));
}

TEST_F(ReplayCommand, DeviceMustBeOneThatExists) {
  auto result = shell("mneme replay --device gpu " + makeRecording("host"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--device 'gpu': use auto, host, cuda"));
  EXPECT_THAT(shell("MNEME_DEVICE=gpu mneme replay " + makeRecording("host")).err, HasSubstr("MNEME_DEVICE 'gpu'"));
}

TEST_F(ReplayCommand, CodeThatTheDeviceCannotLoadIsTrouble) {
  auto result = shell("mneme replay --device host " + makeRecording("host"));
  EXPECT_NE(result.code, 0) << result.out;
  EXPECT_NE(result.code, 1) << "not a wrong answer: " << result.out;
}

TEST_F(ReplayCommand, TroubleEndsWithTheNextCommand) {
  auto recording = makeRecording("host");
  const std::pair<std::string, std::string> expected[]{
      {"nothing.json", "  next: mneme ls .\n"},
      {"--device host " + recording, "  next: mneme record -o set --kernel add -- ./app 7"},
      {"--device host --tolerance nobody:atol=1 " + recording, "  next: mneme show " + recording}};
  for (const auto& [line, next] : expected) {
    auto result = shell("mneme replay " + line);
    EXPECT_NE(result.code, 0) << line;
    EXPECT_THAT(result.out, HasSubstr(next)) << line;
    auto json = nlohmann::json::parse(shell("mneme replay --json " + line).out, nullptr, false);
    EXPECT_THAT(json.at(0).value("next", ""), StartsWith("mneme ")) << line;
  }
  writeFile("set/broken.json", "{");
  EXPECT_THAT(shell("mneme replay set/broken.json").out, HasSubstr("  next: mneme verify-set set"));
  EXPECT_THAT(shell("MNEME_REQUIRE_BACKENDS=cuda mneme replay --device cuda:63 " + makeRecording("cuda")).out,
              HasSubstr("  next: mneme doctor\n"));
}

TEST_F(ReplayCommand, ATolerancesBufferMustExist) {
  auto result = shell("mneme replay --device host --tolerance nobody:atol=1 " + makeRecording("host"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, HasSubstr("is named 'nobody'; they have no names (mneme::annotate gives one)"));
}

TEST_F(ReplayCommand, WorstOfSeveralDecidesAndASummaryIsPrinted) {
  auto result = shell("mneme replay --device cuda:63 " + makeRecording("cuda") + " nothing.json");
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, HasSubstr("0 of 2 recordings pass, 1 not, 1 skipped"));
}

TEST_F(ReplayCommand, JsonIsAllThatStdoutHolds) {
  auto result = shell("mneme replay --json nothing.json");
  auto parsed = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(parsed.is_array()) << result.out;
  EXPECT_EQ(parsed[0]["verdict"], "unreadable");
  EXPECT_EQ(parsed[0]["exit"], 3);
}

TEST_F(ReplayCommand, JunitTellsErrorsFromSkips) {
  auto result = shell("mneme replay --junit j.xml --device cuda:63 " + makeRecording("cuda") + " 'no<thing>.json'");
  EXPECT_EQ(result.code, 3);
  auto xml = fileText(folder_ / "j.xml");
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("no&lt;thing&gt;"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"verdict\" value=\"skipped\"/>"));
}

}  // namespace
}  // namespace mneme::cli::test
