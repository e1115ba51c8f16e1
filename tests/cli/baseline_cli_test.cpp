// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "command.h"

namespace mneme::cli::test {
namespace {

class BaselineCommand : public CommandTest {};

TEST_F(BaselineCommand, WrongUsageExits2) {
  EXPECT_EQ(shell("mneme baseline").code, 2);
  EXPECT_EQ(shell("mneme baseline update x.json").code, 2) << "--code is required";
  EXPECT_EQ(shell("mneme baseline update x.json --code none").code, 2);
}

TEST_F(BaselineCommand, TroubleLeavesTheRecordingAlone) {
  auto recording = makeRecording("host");
  auto before = fileText(folder_ / recording);
  writeFile("app", "no device code in here");
  EXPECT_NE(shell("mneme baseline update " + recording + " --code app").code, 0);
  EXPECT_EQ(fileText(folder_ / recording), before);
}

}  // namespace
}  // namespace mneme::cli::test
