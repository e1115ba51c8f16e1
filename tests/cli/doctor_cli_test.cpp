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

}  // namespace
}  // namespace mneme::cli::test
