// SPDX-License-Identifier: Apache-2.0
#include "../code/elf_builder.h"
#include "code/notes.h"
#include "set_test.h"

namespace mneme::cli::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SetCommands : public SetTest {
 protected:
  /// A binary that holds notes of these kernels.
  void writeBinary(const std::string& name, const std::vector<std::string>& kernels) {
    code::Note note;
    note.kernels = kernels;
    auto bytes = code::encodeNote(note, std::as_bytes(std::span(std::string_view("code"))));
    ASSERT_TRUE(bytes);
    auto elf = code::test::elfWithNote(*bytes);
    writeFile(name, {reinterpret_cast<const char*>(elf.data()), elf.size()});
  }

  std::vector<format::test::Bytes> beforeOf(const std::string& manifest) {
    auto recording = format::Recording::open(folder_ / manifest);
    EXPECT_TRUE(recording) << (recording ? "" : recording.error().message());
    if (!recording) return {};
    auto bytes = format::test::readBack(**recording);
    EXPECT_TRUE(bytes);
    return bytes ? bytes->first : std::vector<format::test::Bytes>();
  }
};

TEST_F(SetCommands, LsListsOneLineEach) {
  auto result = shell("mneme ls set");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(lines(result.out), 3);
  EXPECT_THAT(result.out, StartsWith("NAME"));
  EXPECT_THAT(result.out, HasSubstr(axpy_ + "  4x2x1 / 128x1x1"));
  EXPECT_THAT(result.out, HasSubstr(tiny_));
  auto json = shell("mneme ls set --json");
  EXPECT_THAT(json.out, StartsWith("["));
  EXPECT_THAT(json.out, HasSubstr("\"kernel\": \"_Z4tinyv\""));
}

TEST_F(SetCommands, LsOfAnEmptySetSaysHowToRecord) {
  fs::create_directory(folder_ / "empty");
  auto result = shell("mneme ls empty");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("mneme record -o empty"));
  expectRefusal(shell("mneme ls none"), 2, "no such set");
}

TEST_F(SetCommands, ShowTellsWhyAReplayGaveNoTime) {
  const auto result = shell("mneme show --device host --repeat 3 " + axpy());
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, HasSubstr("replay           ERROR axpy"));
  EXPECT_EQ(shell("mneme show --json --repeat 3 " + axpy()).code, 2);
}

TEST_F(SetCommands, ShowDescribesOne) {
  auto result = shell("mneme show " + axpy());
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("_Z4axpyPfS_fi"));
  EXPECT_THAT(result.out, HasSubstr("4x2x1 / 128x1x1"));
  EXPECT_THAT(result.out, HasSubstr("regions          4"));
  EXPECT_EQ(shell("mneme show --json " + axpy()).out, fileText(folder_ / axpy()));
  expectRefusal(shell("mneme show set/none.json"), 2, "no such recording");
}

TEST_F(SetCommands, VerifySetCountsWhatIsWhole) {
  auto whole = shell("mneme verify-set set");
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.out, "2 recordings, 2 whole, 0 broken\n");
  fs::resize_file(folder_ / axpy(), 100);
  auto broken = shell("mneme verify-set set");
  expectRefusal(broken, 3, "a broken recording");
  EXPECT_EQ(broken.out, "2 recordings, 1 whole, 1 broken\n");
  EXPECT_THAT(broken.err, HasSubstr(axpy_));
  EXPECT_THAT(shell("mneme verify-set --json set").out, HasSubstr("\"whole\": false"));
}

TEST_F(SetCommands, RmRemovesWhatIsNamed) {
  auto result = shell("mneme rm " + axpy());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("removed 1, "));
  EXPECT_FALSE(exists(axpy()));
  EXPECT_EQ(shell("mneme verify-set set").out, "1 recordings, 1 whole, 0 broken\n");
}

TEST_F(SetCommands, RmRemovesNothingIfOneIsNoRecording) {
  expectRefusal(shell("mneme rm set/set.json"), 2, "set.json");
  expectRefusal(shell("mneme rm " + axpy() + " set/none.json"), 2, "none.json");
  EXPECT_TRUE(exists(axpy()));
  EXPECT_TRUE(exists("set/set.json"));
}

TEST_F(SetCommands, GcRemovesWhatNobodyUses) {
  writeFile("set/code/" + std::string(32, 'a') + ".bc", "unused");
  writeFile("set/.x.json.1.0.tmp", "left behind");
  auto result = shell("mneme gc set");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 code files, 1 temporary files"));
  EXPECT_FALSE(exists("set/.x.json.1.0.tmp"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "set/data"), fs::directory_iterator()), 1);
  EXPECT_EQ(shell("mneme verify-set set").out, "2 recordings, 2 whole, 0 broken\n");
}

TEST_F(SetCommands, GcLeavesBrokenRecordingsAlone) {
  fs::resize_file(folder_ / axpy(), 100);
  auto result = shell("mneme gc set");
  expectRefusal(result, 3, "a broken recording");
  EXPECT_THAT(result.err, HasSubstr("left alone"));
  EXPECT_TRUE(exists(axpy()));
}

TEST_F(SetCommands, PruneRemovesRecordingsOfKernelsThatAreGone) {
  writeBinary("app", {"_Z4tinyv", "_Z5otherv"});
  auto dry = shell("mneme prune --code app --dry-run set");
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(dry.out, axpy() + "\n");
  EXPECT_TRUE(exists(axpy()));
  auto result = shell("mneme prune --code app set");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith(axpy() + "\nremoved 1 of 2 recordings, "));
  EXPECT_FALSE(exists(axpy()));
  EXPECT_TRUE(exists(tiny()));
}

TEST_F(SetCommands, PruneNeedsABinaryThatProvesSomething) {
  writeBinary("none", {});
  expectRefusal(shell("mneme prune --code none set"), 2, "no kernels");
  writeFile("text", "no binary");
  expectRefusal(shell("mneme prune --code text set"), 2, "not a binary");
  expectRefusal(shell("mneme prune --code missing set"), 2, "no such file");
  writeBinary("app", {"_Z5otherv"});
  fs::resize_file(folder_ / tiny(), 10);
  expectRefusal(shell("mneme prune --code app set"), 3, "a broken recording");
  EXPECT_TRUE(exists(axpy()));
}

TEST_F(SetCommands, ExportAndImportMakeTheSameRecordings) {
  auto exported = shell("mneme export set");
  EXPECT_EQ(exported.code, 0) << exported.err;
  EXPECT_THAT(exported.out, StartsWith("exported 2 recordings to set.mneme ("));
  EXPECT_THAT(shell("mneme export -o one.mneme " + axpy()).out, StartsWith("exported 1 recording to one.mneme ("));
  auto imported = shell("mneme import set.mneme -o other");
  EXPECT_EQ(imported.code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("other/" + axpy_ + "\n"));
  EXPECT_THAT(imported.out, HasSubstr("replaced 0, added 2"));
  EXPECT_EQ(beforeOf("other/" + axpy_), beforeOf(axpy()));
  EXPECT_THAT(shell("mneme import set.mneme -o other").out, HasSubstr("replaced 2, added 0"));
  EXPECT_EQ(shell("mneme verify-set other").code, 0);
}

TEST_F(SetCommands, ExportReplacesNoFile) {
  writeFile("set.mneme", "precious");
  expectRefusal(shell("mneme export set"), 2, "the file exists");
  EXPECT_EQ(fileText(folder_ / "set.mneme"), "precious");
  fs::create_directory(folder_ / "empty");
  expectRefusal(shell("mneme export empty"), 2, "an empty set");
}

TEST_F(SetCommands, RedactedExportsKeepShapeAndLoseNumbers) {
  auto result = shell("mneme export --redact -o r.mneme " + axpy());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("redacted 4 floating-point regions"));
  ASSERT_EQ(shell("mneme import r.mneme -o other").code, 0);
  auto real = beforeOf(axpy()), redacted = beforeOf("other/" + axpy_);
  ASSERT_EQ(real.size(), redacted.size());
  for (size_t i = 0; i < real.size(); ++i) EXPECT_EQ(real[i].size(), redacted[i].size());
  EXPECT_NE(real[0], redacted[0]);
  auto needle = std::search(redacted[0].begin(), redacted[0].end(), real[0].begin(), real[0].begin() + 32);
  EXPECT_EQ(needle, redacted[0].end()) << "the program's own bytes are in there";
}

TEST_F(SetCommands, AShellsGlobNamesRecordings) {
  ASSERT_EQ(shell("mneme tolerance set " + axpy() + " atol=1").code, 0);
  EXPECT_THAT(shell("mneme export -o all.mneme set/*.json").out, StartsWith("exported 2 recordings and 1 tolerance to"));
  auto shown = shell("mneme show set/*.json");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("_Z4axpyPfS_fi"));
  EXPECT_THAT(shown.out, HasSubstr("_Z4tinyv"));
  EXPECT_THAT(shell("mneme replay --device cuda:63 set/*.json").out, HasSubstr("0 of 2 recordings pass, 0 not, 2 skipped"));
  EXPECT_THAT(shell("mneme replay --device cuda:63 set").out, HasSubstr("0 of 2 recordings pass, 0 not, 2 skipped"));
  writeBinary("app", {"_Z4tinyv"});
  EXPECT_EQ(shell("mneme prune --dry-run --code app set/*.json").out, axpy() + "\n");
  EXPECT_THAT(shell("mneme rm set/*.json").out, StartsWith("removed 2, "));
  EXPECT_TRUE(exists("set/set.json"));
  EXPECT_TRUE(exists("set/tolerance.json"));
}

TEST_F(SetCommands, TheSetsOwnFileAloneIsNoRecording) {
  for (const std::string command : {"replay", "show", "export -o x.mneme", "baseline update --code /bin/true", "prune --code app",
                                    "tolerance show", "stats"}) {
    writeBinary("app", {"_Z4tinyv"});
    auto result = shell("mneme " + command + " set/set.json");
    expectRefusal(result, 2, command);
    EXPECT_THAT(result.err, HasSubstr("mneme ls set")) << command;
  }
}

TEST_F(SetCommands, EveryCommandRefusesASetOfAnotherVersion) {
  writeFile("set/set.json", R"({"format": {"major": 9, "minor": 0}, "kind": "mneme recording set"})");
  writeBinary("app", {"_Z5otherv"});
  for (const std::string& command : std::vector<std::string>{"ls set", "show " + axpy(), "verify-set set", "tolerance show " + axpy(),
                                                             "rm " + axpy(), "prune --code app set", "gc set", "export set", "stats " + axpy()}) {
    auto result = shell("mneme " + command);
    expectRefusal(result, 3, command);
    EXPECT_THAT(result.err, HasSubstr("format version 9")) << command;
  }
  auto replayed = shell("mneme replay " + axpy());
  EXPECT_EQ(replayed.code, 3);
  EXPECT_THAT(replayed.out, HasSubstr("format version 9"));
  writeFile("set/set.json", "");
  expectRefusal(shell("mneme ls set"), 3, "an empty set.json");
  EXPECT_TRUE(exists(axpy()));
}

TEST_F(SetCommands, VerifySetReportsABrokenToleranceFile) {
  writeFile("set/tolerance.json", "{\"format\": {\"major\": 1, \"minor\": 0}, \"tolerances\": [{\"kernel\": 7}]}");
  auto result = shell("mneme verify-set set");
  expectRefusal(result, 3, "tolerance.json");
  EXPECT_THAT(result.err, HasSubstr("tolerance.json"));
  EXPECT_THAT(shell("mneme verify-set --json set").out, HasSubstr("\"name\": \"tolerance.json\""));
}

TEST_F(SetCommands, GcNeedsASet) {
  fs::create_directory(folder_ / "theirs");
  writeFile("theirs/build.tmp", "not ours");
  auto result = shell("mneme gc theirs");
  expectRefusal(result, 2, "no set");
  EXPECT_THAT(result.err, HasSubstr("set.json"));
  EXPECT_TRUE(exists("theirs/build.tmp"));
}

TEST_F(SetCommands, ExportOfTwoSetsRefusesOneNameTwice) {
  format::test::record(folder_ / "second", format::test::makeSample("_Z4axpyPfS_fi", 9));
  auto result = shell("mneme export -o both.mneme set second");
  expectRefusal(result, 2, "one name twice");
  EXPECT_THAT(result.err, HasSubstr("second/" + axpy_));
  EXPECT_FALSE(exists("both.mneme"));
}

TEST_F(SetCommands, ImportOfAMissingFileIsWrongUsage) {
  expectRefusal(shell("mneme import none.mneme -o other"), 2, "a missing file");
  EXPECT_FALSE(exists("other"));
}

TEST_F(SetCommands, ExportGoesToAFile) {
  expectRefusal(shell("mneme export -o - set"), 2, "stdout");
  EXPECT_FALSE(exists("-"));
}

TEST_F(SetCommands, ImportSaysWhichTolerancesDiffer) {
  ASSERT_EQ(shell("mneme tolerance set " + axpy() + " atol=1").code, 0);
  ASSERT_EQ(shell("mneme export set && mneme import set.mneme -o other").code, 0);
  EXPECT_EQ(shell("mneme tolerance show other/" + axpy_).out, "atol=1\n");
  ASSERT_EQ(shell("mneme tolerance set other/" + axpy_ + " atol=2").code, 0);
  auto refused = shell("mneme import set.mneme -o other");
  expectRefusal(refused, 2, "tolerances that differ");
  EXPECT_THAT(refused.err, HasSubstr("atol=2 so far, atol=1 in set.mneme"));
  EXPECT_EQ(shell("mneme import --tolerances take set.mneme -o other").code, 0);
  EXPECT_EQ(shell("mneme tolerance show other/" + axpy_).out, "atol=1\n");
}

TEST_F(SetCommands, RedactedRecordingsSaySo) {
  ASSERT_EQ(shell("mneme export --redact -o r.mneme set && mneme import r.mneme -o other").code, 0);
  EXPECT_THAT(shell("mneme ls other").out, HasSubstr("  redacted  "));
  EXPECT_THAT(shell("mneme ls --json other").out, HasSubstr("\"redacted\": \"memory\""));
  EXPECT_THAT(shell("mneme show other/" + axpy_).out, HasSubstr("floating-point memory is noise"));
  EXPECT_THAT(shell("mneme show set/" + axpy_).out, Not(HasSubstr("noise")));
}

TEST_F(SetCommands, TolerancesOfUnknownBuffersAreRefused) {
  auto result = shell("mneme tolerance set " + axpy() + " tabel:atol=1");
  expectRefusal(result, 2, "a misspelled buffer");
  EXPECT_THAT(result.err, HasSubstr("no buffer of axpy(float*, float*, float, int) is named 'tabel'; there are: table"));
  EXPECT_FALSE(exists("set/tolerance.json"));
}

TEST_F(SetCommands, TolerancesSetAtOnceAreAllKept) {
  std::string all;
  for (int i = 0; i < 12; ++i) {
    auto name = format::test::record(folder_ / "set", format::test::makeSample("_Z1k" + std::string(1, static_cast<char>('a' + i)) + "v")).filename();
    all += "mneme tolerance set set/" + name.string() + " atol=1 & ";
  }
  ASSERT_EQ(shell(all + "wait").code, 0);
  auto text = fileText(folder_ / "set/tolerance.json");
  size_t entries = 0;
  for (size_t at = text.find("\"kernel\""); at != std::string::npos; at = text.find("\"kernel\"", at + 1)) ++entries;
  EXPECT_EQ(entries, 12u) << text;
}

TEST_F(SetCommands, ToleranceIsSetAndShown) {
  EXPECT_THAT(shell("mneme tolerance show " + axpy()).out, HasSubstr("no tolerance is set"));
  auto set = shell("mneme tolerance set " + axpy() + " table:atol=1e-06 rtol=0.5,ulp=4");
  EXPECT_EQ(set.code, 0) << set.err;
  EXPECT_THAT(set.out, StartsWith("set/tolerance.json: "));
  EXPECT_EQ(shell("mneme tolerance show " + axpy()).out, "rtol=0.5,ulp=4\ntable:atol=1e-06\n");
  EXPECT_THAT(shell("mneme tolerance show --json " + axpy()).out, HasSubstr("\"buffer\": \"table\""));
  EXPECT_THAT(shell("mneme tolerance show " + tiny()).out, HasSubstr("no tolerance is set"));
  expectRefusal(shell("mneme tolerance set " + axpy() + " atol=-1"), 2, "a negative tolerance");
  writeFile("set/tolerance.json", "{\"format\": {\"major\": 9, \"minor\": 0}}");
  auto newer = shell("mneme tolerance show " + axpy());
  expectRefusal(newer, 3, "a newer tolerance.json");
  EXPECT_THAT(newer.err, HasSubstr("format version 9"));
}

}  // namespace
}  // namespace mneme::cli::test
