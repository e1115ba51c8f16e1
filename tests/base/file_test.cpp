// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mneme {
namespace {

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "mneme-file-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(FileTest, AtomicWriteLeavesOnlyTheFile) {
  ASSERT_TRUE(writeAtomically(folder_ / "a", std::string_view("one")));
  ASSERT_TRUE(writeAtomically(folder_ / "a", std::string_view("two")));
  EXPECT_EQ(*readText(folder_ / "a"), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FileTest, MissingFileIsNotFoundAndNamed) {
  auto text = readText(folder_ / "nothing");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code(), ErrorCode::NotFound);
  EXPECT_NE(text.error().message().find("nothing"), std::string::npos);
}

TEST_F(FileTest, TooLargeIsRefusedBeforeReading) {
  ASSERT_TRUE(writeAtomically(folder_ / "a", std::string(100, 'x')));
  auto text = readText(folder_ / "a", 99);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code(), ErrorCode::CorruptRecording);
}

TEST_F(FileTest, DirectoryIsNotReadAsAFile) { EXPECT_FALSE(readText(folder_)); }

TEST_F(FileTest, FullDeviceIsAnError) {
  auto fd = openFile("/dev/full", O_WRONLY);
  ASSERT_TRUE(fd);
  std::byte one{1};
  auto written = writeAll(fd->get(), {&one, 1}, "/dev/full");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::Io);
}

TEST_F(FileTest, FifosDoNotBlock) {
  auto fifo = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(MappedFile::open(fifo));
  EXPECT_FALSE(readText(fifo));
}

TEST_F(FileTest, MapsWholeAndEmptyFiles) {
  ASSERT_TRUE(writeAtomically(folder_ / "a", std::string_view("abc")));
  ASSERT_TRUE(writeAtomically(folder_ / "b", std::string_view("")));
  EXPECT_EQ(MappedFile::open(folder_ / "a")->bytes().size(), 3u);
  EXPECT_TRUE(MappedFile::open(folder_ / "b")->bytes().empty());
}

}  // namespace
}  // namespace mneme
