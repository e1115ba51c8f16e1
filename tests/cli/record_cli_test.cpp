// SPDX-License-Identifier: Apache-2.0
/// What `mneme record` leaves alone and what it reports. A shell script plays the recorder, through MNEME_RECORD_REPORT.
#include <gmock/gmock.h>

#include "command.h"

namespace mneme::cli::test {
namespace {

using testing::HasSubstr;

class RecordCommand : public CommandTest {};

TEST_F(RecordCommand, ExitsWithTheProgramsCode) {
  EXPECT_EQ(shell("mneme record -- true").code, 0);
  EXPECT_EQ(shell("mneme record -- sh -c 'exit 42'").code, 42);
  EXPECT_EQ(shell("mneme record -- sh -c 'kill -9 $$'").code, 137);
}

TEST_F(RecordCommand, CannotRunIsAsEnv) {
  auto missing = shell("mneme record -- ./no-such-program");
  EXPECT_EQ(missing.code, 127);
  EXPECT_THAT(missing.err, HasSubstr("no-such-program"));
  writeFile("data", "not a program");
  EXPECT_EQ(shell("mneme record -- ./data").code, 126);
}

TEST_F(RecordCommand, StdoutIsTheProgramsAlone) {
  auto result = shell("mneme record -- sh -c 'echo hello; cat'");
  EXPECT_EQ(result.out, "hello\n");
  EXPECT_THAT(result.err, HasSubstr("nothing was recorded"));
}

TEST_F(RecordCommand, OptionsBecomeTheEnvironment) {
  auto result = shell("mneme record -o my/set --kernel 'a b' --skip 3 --max 2 --distinct --reach all --ranks 0,2 "
                      "--max-bytes 1M --append -- sh -c 'env | grep ^MNEME_RECORD | sort'");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("MNEME_RECORD=" + (folder_ / "my/set").string() + "\n"));
  for (const char* line : {"MNEME_RECORD_KERNEL=a b\n", "MNEME_RECORD_SKIP=3\n", "MNEME_RECORD_MAX=2\n",
                           "MNEME_RECORD_DISTINCT=1\n", "MNEME_RECORD_REACH=all\n", "MNEME_RECORD_RANKS=0,2\n",
                           "MNEME_RECORD_MAX_BYTES=1M\n", "MNEME_RECORD_APPEND=1\n", "MNEME_RECORD_REPORT="})
    EXPECT_THAT(result.out, HasSubstr(line));
}

TEST_F(RecordCommand, RequireExits125WhenNothingWasRecorded) {
  EXPECT_EQ(shell("mneme record --require -- true").code, 125);
  EXPECT_EQ(shell("mneme record --require -- ./no-such-program").code, 127);
}

TEST_F(RecordCommand, RefusesASetItCannotWriteBeforeTheProgramRuns) {
  writeFile("file", "no directory");
  makeRecording("host");
  writeFile("set/set.json", "");
  for (const std::string set : {"file", "file/below", "/proc/nowhere", "set"}) {
    auto result = shell("mneme record -o " + set + " -- echo ran");
    EXPECT_EQ(result.code, 125) << set;
    EXPECT_EQ(result.out, "") << set;
    EXPECT_THAT(result.err, testing::StartsWith("mneme: nothing was run: ")) << set;
  }
}

TEST_F(RecordCommand, WrongUsageExits2) {
  EXPECT_EQ(shell("mneme record").code, 2);
  EXPECT_EQ(shell("mneme record --reach some -- true").code, 2);
  EXPECT_EQ(shell("mneme record --skip -1 -- true").code, 2);
  const std::pair<std::string, std::string> wrong[]{{"--kernel '['", "mneme: --kernel: '['"}, {"--skip x", "mneme: --skip"},
                                                    {"--max 1.5", "mneme: --max"}, {"--ranks a", "mneme: --ranks='a'"},
                                                    {"--max-bytes lots", "mneme: --max-bytes='lots'"}};
  for (const auto& [option, message] : wrong) {
    auto result = shell("mneme record " + option + " -- echo ran");
    EXPECT_EQ(result.code, 2) << option;
    EXPECT_EQ(result.out, "") << option;
    EXPECT_THAT(result.err, testing::StartsWith(message)) << option;
  }
  auto variable = shell("MNEME_RECORD_RANKS=a mneme record -- echo ran");
  EXPECT_EQ(variable.code, 2);
  EXPECT_THAT(variable.err, testing::StartsWith("mneme: MNEME_RECORD_RANKS='a'"));
}

TEST_F(RecordCommand, ReportsWhatTheRecorderSaid) {
  auto recording = makeRecording("host");
  writeFile("app", "#!/bin/sh\n"
                   "echo '{\"event\":\"replaced\",\"kernel\":\"k\",\"manifest\":\"" + recording + "\"}' >> $MNEME_RECORD_REPORT\n"
                   "echo '{\"event\":\"refused\",\"kernel\":\"tex\",\"reason\":\"uses a texture\"}' >> $MNEME_RECORD_REPORT\n"
                   "printf '{\"event\":\"added\",\"ker' >> $MNEME_RECORD_REPORT\nexit 3\n", true);
  auto result = shell("mneme record --no-check -o set -- ./app");
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("recorded 0, replaced 1 in set"));
  EXPECT_THAT(result.err, HasSubstr("4.1 kB in 1 region, not checked"));
  EXPECT_THAT(result.err, HasSubstr("not recorded: tex: uses a texture"));
  EXPECT_THAT(result.err, HasSubstr("next: mneme replay set/*.*.json --code ./app"));
}

/// A program whose recorder reports these lines, and that ends by this command.
std::string reporting(const std::string& lines, const std::string& end) {
  return "#!/bin/sh\ncat >> $MNEME_RECORD_REPORT <<'LINES'\n" + lines + "LINES\n" + end + "\n";
}

TEST_F(RecordCommand, SaysWhyNothingWasRecorded) {
  const std::string seen = R"({"event":"seen","kernel":"_Z3addPfi"})" "\n";
  const std::string other = R"({"event":"seen","kernel":"_Z3mulPfi","reason":"not selected"})" "\n";
  const std::string captured = R"({"event":"captured","kernel":"_Z3addPfi"})" "\n";
  const std::string dropped = R"({"event":"dropped","kernel":"_Z3addPfi","reason":"too slow","captured":true})" "\n";
  const struct { std::string lines, end, options, says; } cases[] = {
      {seen + captured, "kill -SEGV $$", "", "not recorded: add(float*, int): the program was ended by signal 11"},
      {seen + captured, "exit 3", "", "the program ended with code 3 and without running its exit handlers, see above"},
      {seen + captured + dropped, "exit 0", "", "not recorded: add(float*, int): too slow"},
      {seen, "exit 0", "--skip 2", "--skip 2 passes over every launch there was of add(float*, int)"},
      {seen, "exit 0", "", "no launch of add(float*, int) was selected"},
      {other, "exit 0", "--kernel add", "no kernel that was launched matches 'add': there were mul(float*, int)"},
      {other, "exit 0", "", "only kernels of communication libraries were launched (mul(float*, int))"},
      {R"({"event":"other-rank","reason":"rank 2"})" "\n", "exit 0", "", "rank 2 is not among the ranks that record"},
      {"", "exit 0", "", "holds no recordable kernel"}};
  for (const auto& [lines, end, options, says] : cases) {
    writeFile("app", reporting(lines, end), true);
    auto result = shell("mneme record " + options + " -- ./app");
    EXPECT_THAT(result.err, HasSubstr(says));
    EXPECT_THAT(result.err, testing::Not(HasSubstr("launched none")));
  }
}

TEST_F(RecordCommand, TheSelfCheckIsWrittenIntoTheManifest) {
  auto recording = makeRecording("host");
  writeFile("app", "#!/bin/sh\necho '{\"event\":\"added\",\"kernel\":\"k\",\"manifest\":\"" + recording +
                   "\"}' >> $MNEME_RECORD_REPORT\n", true);
  auto result = shell("mneme record -o set -- ./app");
  EXPECT_EQ(result.code, 0);
  auto manifest = format::parseManifest(fileText(folder_ / recording), recording);
  ASSERT_TRUE(manifest) << manifest.error().message();
  ASSERT_TRUE(manifest->selfCheck.contains("llvm"));
  EXPECT_NE(manifest->selfCheck["llvm"].result, format::SelfCheck::Result::Reproduced) << "its code is rubbish";
}

TEST_F(RecordCommand, SignalsReachTheProgram) {
  writeFile("app", "#!/bin/sh\ntrap 'echo caught; exit 9' TERM\ntouch ready\nwhile :; do sleep 0.05; done\n", true);
  auto result = shell("\"" MNEME_COMMAND "\" record -- ./app & while [ ! -e ready ]; do sleep 0.05; done; kill -TERM $!; wait $!");
  EXPECT_EQ(result.code, 9);
  EXPECT_EQ(result.out, "caught\n");
}

}  // namespace
}  // namespace mneme::cli::test
