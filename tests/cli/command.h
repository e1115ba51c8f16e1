// SPDX-License-Identifier: Apache-2.0
/// Runs the built `mneme` as a user would, and makes recording sets for it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "format/recording_set.h"

namespace mneme::cli::test {

namespace fs = std::filesystem;

inline std::string fileText(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Output {
  int code = -1;
  std::string out, err;
};

/// An own directory, in which the commands run.
class CommandTest : public testing::Test {
 protected:
  CommandTest() {
    auto name = testing::TempDir() + "mneme_cli_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~CommandTest() override { fs::remove_all(folder_); }

  /// `line` is shell text; "mneme" in it is the built command.
  Output shell(const std::string& line) {
    std::string mneme = std::string("mneme() { \"") + MNEME_COMMAND + "\" \"$@\"; }; ";
    std::string command = "cd '" + folder_.string() + "' && { " + mneme + line + "\n} >out.txt 2>err.txt </dev/null";
    int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, fileText(folder_ / "out.txt"), fileText(folder_ / "err.txt")};
  }

  /// A recording of `backend` with code that no device can load; its manifest, relative to the folder.
  std::string makeRecording(const std::string& backend) {
    auto writer = format::SetWriter::open({.directory = folder_ / "set", .rank = 0, .append = false, .maxBytes = 0,
                                           .compressionThreads = 1});
    EXPECT_TRUE(writer) << writer.error().message();
    std::vector<std::byte> junk(64, std::byte{42});
    auto code = (*writer)->addCode(CodeKind::Llvm, junk, "bc");
    EXPECT_TRUE(code) << code.error().message();
    format::Manifest manifest;
    manifest.kernel = "_Z3addPfi";
    manifest.demangled = "add(float*, int)";
    manifest.parameters = {{0, 8}, {8, 4}};
    manifest.arguments.resize(12);
    manifest.backend = backend;
    manifest.model = "some " + backend;
    manifest.program = "./app 7";
    manifest.code = {*code};
    format::Region region;
    region.range = {0x600000000000, 4096, MemoryKind::Device, ""};
    manifest.regions = {region};
    std::vector<std::byte> memory(4096, std::byte{7});
    format::RegionSource before, after;
    before.size = memory.size();
    before.view = memory.data();
    const std::vector<std::vector<uint32_t>> changed(1);
    auto added = (*writer)->add(manifest, std::span(&before, 1), changed, std::span(&after, 1));
    EXPECT_TRUE(added) << added.error().message();
    EXPECT_TRUE((*writer)->finish());
    return fs::relative(added->manifest, folder_).string();
  }

  void writeFile(const std::string& name, const std::string& text, bool executable = false) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    if (executable) fs::permissions(folder_ / name, fs::perms::owner_all);
  }

  fs::path folder_;
};

}  // namespace mneme::cli::test
