// SPDX-License-Identifier: Apache-2.0
/// Wrong arguments: exit 2, a reason on stderr, nothing on stdout, nothing done.
#include "set_test.h"

namespace mneme::cli::test {
namespace {

using testing::HasSubstr;

class Usage : public SetTest {};

TEST_F(Usage, WrongArgumentsExit2) {
  for (const std::string line :
       {"", "--nonsense", "ls --nonsense", "ls a b", "show", "show a b", "verify-set a b", "rm", "gc a b", "gc --all", "prune set",
        "prune --code", "export", "export --redact", "import", "import a b", "import a -o", "tolerance", "tolerance set",
        "tolerance set x.json", "tolerance show", "tolerance other x.json"}) {
    auto result = shell("mneme " + line);
    EXPECT_EQ(result.code, 2) << line;
    EXPECT_NE(result.err, "") << line;
    EXPECT_EQ(result.out, "") << line;
  }
  EXPECT_TRUE(exists(axpy()));
}

TEST_F(Usage, TyposAreAnsweredWithTheNearestCommand) {
  auto result = shell("mneme exprot set");
  expectRefusal(result, 2, "exprot");
  EXPECT_THAT(result.err, HasSubstr("did you mean 'export'?"));
  auto far = shell("mneme frobnicate");
  expectRefusal(far, 2, "frobnicate");
  EXPECT_THAT(far.err, HasSubstr("mneme --help"));
}

TEST_F(Usage, OneLineSaysWhatIsWrongAndWhereHelpIs) {
  auto option = shell("mneme --bogus");
  expectRefusal(option, 2, "an option before the command");
  EXPECT_THAT(option.err, HasSubstr("--bogus"));
  EXPECT_THAT(option.err, HasSubstr("`mneme --help`"));
  auto nested = shell("mneme tolerance set --nonsense x.json atol=1");
  expectRefusal(nested, 2, "an option of a nested command");
  EXPECT_THAT(nested.err, HasSubstr("`mneme tolerance set --help`"));
}

TEST_F(Usage, EmptyValuesAreRefused) {
  for (const std::string line :
       {"replay x.json --junit ''", "replay x.json --as ''", "replay x.json --device ''", "record --kernel '' -- true", "record -o '' -- true",
        "stats x --kernel ''", "ir extract x --kernel ''", "export x -o ''", "prune --code '' set"}) {
    auto result = shell("mneme " + line);
    expectRefusal(result, 2, line);
    EXPECT_THAT(result.err, HasSubstr("empty")) << line;
  }
}

TEST_F(Usage, OutputThatCannotBeWrittenIsAnError) {
  for (const std::string& line : std::vector<std::string>{"ls set", "ls --json set", "show " + axpy(), "version", "--help", "replay --help",
                                                          "verify-set set"}) {
    auto result = shell("mneme " + line + " >/dev/full");
    expectRefusal(result, 4, line);
    EXPECT_THAT(result.err, HasSubstr("stdout")) << line;
  }
}

TEST_F(Usage, EveryCommandHelps) {
  for (const std::string command : {"ls", "show", "verify-set", "rm", "gc", "prune", "export", "import", "tolerance"}) {
    auto result = shell("mneme " + command + " --help");
    EXPECT_EQ(result.code, 0) << command;
    EXPECT_THAT(result.out, HasSubstr("Example:")) << command;
  }
}

}  // namespace
}  // namespace mneme::cli::test
