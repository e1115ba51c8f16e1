// SPDX-License-Identifier: Apache-2.0
/// Whatever is wrong with a recording, every command that reads it exits 3 and says so in one line.
#include <functional>

#include "set_test.h"

namespace mneme::cli::test {
namespace {

using testing::HasSubstr;

const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

class BrokenSets : public SetTest {
 protected:
  BrokenSets() {
    EXPECT_EQ(shell("mneme rm " + tiny()).code, 0);
    EXPECT_EQ(shell("mneme gc set").code, 0);
  }

  std::string fileIn(const std::string& folder) {
    return fs::relative(fs::directory_iterator(folder_ / folder)->path(), folder_).string();
  }

  /// All commands that look at a recording's manifest and tables.
  void expectUnreadable(const std::string& why) {
    for (const std::string command : {"show ", "export -o x.mneme ", "tolerance show ", "tolerance set "}) {
      auto result = shell("mneme " + command + axpy() + (command == "tolerance set " ? " ulp=1" : ""));
      expectRefusal(result, 3, command);
      EXPECT_THAT(result.err, HasSubstr(why)) << command;
    }
    expectListUnreadable(why);
  }

  /// The commands that go through the whole set.
  void expectListUnreadable(const std::string& why) {
    for (const std::string command : {"ls ", "verify-set ", "export -o x.mneme "}) {
      auto result = shell("mneme " + command + "set");
      expectRefusal(result, 3, command);
      EXPECT_THAT(result.err, HasSubstr(why)) << command;
    }
    EXPECT_FALSE(exists("x.mneme"));
  }

  void replaceText(const std::string& name, const std::string& from, const std::string& to) {
    auto text = fileText(folder_ / name);
    auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    writeFile(name, text.replace(at, from.size(), to));
  }
};

TEST_F(BrokenSets, ManifestIsAnLfsPointer) {
  writeFile(axpy(), kPointer);
  expectUnreadable("git lfs pull");
}

TEST_F(BrokenSets, PackIsAnLfsPointer) {
  writeFile(fileIn("set/data"), kPointer);
  expectUnreadable("git lfs pull");
}

TEST_F(BrokenSets, CodeIsAnLfsPointer) {
  writeFile(fileIn("set/code"), kPointer);
  auto result = shell("mneme verify-set set");
  expectRefusal(result, 3, "verify-set");
  EXPECT_THAT(result.err, HasSubstr("git lfs pull"));
  expectRefusal(shell("mneme export set"), 3, "export");
}

TEST_F(BrokenSets, ManifestIsCutOff) {
  fs::resize_file(folder_ / axpy(), 200);
  expectUnreadable("not a JSON object");
}

TEST_F(BrokenSets, ManifestIsEmpty) {
  writeFile(axpy(), "");
  expectUnreadable("not a JSON object");
}

TEST_F(BrokenSets, ManifestWasEdited) {
  replaceText(axpy(), "\"rank\": 0", "\"rank\": 1");
  expectUnreadable("edited or damaged");
}

TEST_F(BrokenSets, ManifestIsOfANewerVersion) {
  replaceText(axpy(), "\"major\": 1", "\"major\": 2");
  expectUnreadable("format version 2");
}

TEST_F(BrokenSets, ManifestIsADirectory) {
  fs::remove(folder_ / axpy());
  fs::create_directory(folder_ / axpy());
  EXPECT_NE(shell("mneme show " + axpy()).code, 0);
}

TEST_F(BrokenSets, PackIsMissing) {
  fs::remove(folder_ / fileIn("set/data"));
  expectUnreadable(".pack");
}

TEST_F(BrokenSets, PackIsCutOff) {
  auto pack = folder_ / fileIn("set/data");
  fs::resize_file(pack, fs::file_size(pack) / 2);
  expectUnreadable("shorter than its manifest says");
}

TEST_F(BrokenSets, AChunkIsDamaged) {
  auto pack = fileIn("set/data");
  auto text = fileText(folder_ / pack);
  text[32 + 48 + 100] = static_cast<char>(text[32 + 48 + 100] ^ 1);
  writeFile(pack, text);
  auto result = shell("mneme verify-set set");
  expectRefusal(result, 3, "verify-set");
  EXPECT_THAT(result.err, HasSubstr("chunk at byte 32 is damaged"));
  expectRefusal(shell("mneme export set"), 3, "export");
}

TEST_F(BrokenSets, ImportOfSomethingElse) {
  for (const std::string& content : std::vector<std::string>{"", "not a pack, but long enough to be read as one", kPointer}) {
    writeFile("x.mneme", content);
    expectRefusal(shell("mneme import x.mneme -o other"), 3, "import");
    EXPECT_FALSE(exists("other"));
  }
  EXPECT_THAT(shell("mneme import x.mneme -o other").err, HasSubstr("git lfs pull"));
}

TEST_F(BrokenSets, ImportOfACutOffFileImportsNothing) {
  ASSERT_EQ(shell("mneme export -o x.mneme set").code, 0);
  fs::resize_file(folder_ / "x.mneme", fs::file_size(folder_ / "x.mneme") - 10);
  expectRefusal(shell("mneme import x.mneme -o other"), 3, "import");
  EXPECT_FALSE(exists("other/" + axpy_));
}

TEST_F(BrokenSets, NamesOfFilesCannotDriveTheTerminal) {
  fs::rename(folder_ / axpy(), folder_ / "set/\x1b[2J\nx.json");
  writeFile("set/\x1b[2J\nx.json", "{");
  auto result = shell("mneme verify-set set");
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos) << result.err;
}

}  // namespace
}  // namespace mneme::cli::test
