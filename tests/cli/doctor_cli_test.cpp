// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "command.h"

namespace mneme::cli::test {
namespace {

using testing::HasSubstr;

class DoctorCommand : public CommandTest {};

TEST_F(DoctorCommand, EveryCheckHasAStateAndTroubleHasAdvice) {
  auto result = shell("mneme doctor --json");
  auto checks = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(checks.is_array()) << result.out;
  EXPECT_GE(checks.size(), 10u);
  for (const auto& check : checks) {
    if (check["state"] != "ok") EXPECT_NE(check["advice"], "") << check;
  }
}

TEST_F(DoctorCommand, NamesTheNamesakeThatComesFirst) {
  fs::create_directory(folder_ / "bin");
  writeFile("bin/mneme", "#!/bin/sh\necho 'some other tool 3.1'\n", true);
  auto result = shell("PATH=$PWD/bin:$PATH \"" MNEME_COMMAND "\" doctor");
  EXPECT_THAT(result.out, HasSubstr("bin/mneme comes first in PATH: not this tool, but a namesake"));
}

TEST_F(DoctorCommand, FindsABrokenHostCompiler) {
  auto result = shell("MNEME_HOSTCC=$PWD/nowhere mneme doctor");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("nowhere is not there"));
}

TEST_F(DoctorCommand, SaysWhereTheCacheCannotBe) {
  auto result = shell("MNEME_CACHE_DIR=/proc/none mneme doctor");
  EXPECT_THAT(result.out, HasSubstr("/proc/none cannot be written"));
}

TEST_F(DoctorCommand, NamesEveryPartThatRecordingAndReplayNeed) {
  const auto checks = nlohmann::json::parse(shell("mneme doctor --json").out, nullptr, false);
  ASSERT_TRUE(checks.is_array());
  for (const char* name : {"version", "command", "clang", "host compiler", "LLVM", "cache", "sandbox", "address layout",
                           "fixed addresses", "GPU", "permissions", "CUDA driver", "CUDA toolkit", "CUPTI", "nvJitLink",
                           "PTX assembler", "HIP"})
    EXPECT_TRUE(std::any_of(checks.begin(), checks.end(), [&](const auto& check) { return check["name"] == name; })) << name;
}

TEST_F(DoctorCommand, SaysWhatAnOlderClangCosts) {
  fs::create_directory(folder_ / "old");
  writeFile("old/clang++", "#!/bin/sh\necho 'Debian clang version 19.1.7 (3)'\n", true);
  const auto result = shell("PATH=$PWD/old \"" MNEME_COMMAND "\" doctor");
  EXPECT_THAT(result.out, HasSubstr("clang version 19.1.7"));
  EXPECT_THAT(result.out, HasSubstr("at a cost (__grid_constant__"));
}

TEST_F(DoctorCommand, ABundleHoldsVersionsChecksAndTheRecording) {
  const auto manifest = makeRecording("host");
  const auto result = shell("mneme doctor --bundle " + manifest + " -o report.tar && tar -xf report.tar && "
                            "mneme import recording.mneme -o imported && ls imported");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wrote report.tar"));
  EXPECT_THAT(result.out, HasSubstr(fs::path(manifest).filename().string()));
  EXPECT_THAT(fileText(folder_ / "versions.txt"), HasSubstr("mneme "));
  EXPECT_THAT(fileText(folder_ / "doctor.json"), HasSubstr("\"CUDA driver\""));
}

TEST_F(DoctorCommand, ABundleReplacesNoFileAndNeedsARecording) {
  writeFile("report.tar", "mine");
  const auto again = shell("mneme doctor --bundle none -o report.tar");
  EXPECT_NE(again.code, 0);
  EXPECT_THAT(again.err, HasSubstr("report.tar exists already"));
  EXPECT_EQ(fileText(folder_ / "report.tar"), "mine");
  const auto missing = shell("mneme doctor --bundle nowhere.json -o new.tar");
  EXPECT_NE(missing.code, 0);
  EXPECT_THAT(missing.err, HasSubstr("nowhere.json"));
  EXPECT_FALSE(fs::exists(folder_ / "new.tar"));
}

}  // namespace
}  // namespace mneme::cli::test
