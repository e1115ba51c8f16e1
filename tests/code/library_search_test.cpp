// SPDX-License-Identifier: Apache-2.0
/// Libraries are found in the loader's order.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "code/library_search.h"

namespace mneme::code {
namespace {

namespace fs = std::filesystem;

TEST(LibrarySearch, ReplacesOrigin) {
  const auto paths = expandRunPath("$ORIGIN/../lib:${ORIGIN}:/abs", "/nowhere/bin/app");
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_EQ(paths[0], "/nowhere/bin/../lib");
  EXPECT_EQ(paths[1], "/nowhere/bin");
  EXPECT_EQ(paths[2], "/abs");
}

TEST(LibrarySearch, FindsSystemLibraries) {
  EXPECT_FALSE(LibrarySearch().find("libc.so.6", "/bin/sh", {}, {}).empty());
  EXPECT_TRUE(LibrarySearch().find("libmneme-nowhere.so.9", "/bin/sh", {}, {}).empty());
}

class LibrarySearchOrder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "mneme-search-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    for (const char* name : {"rpath", "environment", "runpath"}) {
      fs::create_directory(folder_ / name);
      std::ofstream(folder_ / name / "liborder.so.1") << name;
    }
    setenv("LD_LIBRARY_PATH", (folder_ / "environment").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("LD_LIBRARY_PATH");
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

TEST_F(LibrarySearchOrder, RpathThenEnvironmentThenRunpath) {
  const LibrarySearch search;
  DynamicInfo none, withRunpath;
  withRunpath.runpath = (folder_ / "runpath").string();
  const std::vector<fs::path> rpath{folder_ / "rpath"};
  EXPECT_EQ(search.find("liborder.so.1", "app", none, rpath), folder_ / "rpath/liborder.so.1");
  EXPECT_EQ(search.find("liborder.so.1", "app", withRunpath, rpath), folder_ / "environment/liborder.so.1");
  fs::remove(folder_ / "environment/liborder.so.1");
  EXPECT_EQ(search.find("liborder.so.1", "app", withRunpath, rpath), folder_ / "runpath/liborder.so.1");
}

}  // namespace
}  // namespace mneme::code
