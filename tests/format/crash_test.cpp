// SPDX-License-Identifier: Apache-2.0
/// Writers that die, run out of space, or share a directory: what was recorded stays, halves never show.
#include <csignal>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "format/collect.h"
#include "sample.h"

namespace mneme::format::test {
namespace {

/// Every visible recording is whole.
size_t expectAllWhole(const fs::path& set) {
  auto manifests = listManifests(set);
  if (!manifests) return 0;
  for (const auto& path : *manifests) {
    auto whole = verifyRecording(path, 1);
    EXPECT_TRUE(whole) << whole.error().message();
  }
  return manifests->size();
}

[[noreturn]] void recordForever(const fs::path& set, uint32_t seed) {
  auto writer = openWriter(set);
  for (uint32_t i = 0;; ++i) {
    auto sample = makeSample("_Z1" + std::string(1, static_cast<char>('a' + i % 20)) + "v", seed * 1000 + i);
    std::string ir = "code " + std::to_string(i % 3);
    auto code = writer->addCode(CodeKind::Llvm, std::as_bytes(std::span(ir)), "bc");
    if (code) sample.manifest.code = {*code};
    if (!write(*writer, sample)) ::_exit(1);
  }
}

TEST(Crash, KilledAtRandomMomentsNothingIsHalf) {
  TemporaryDirectory directory;
  auto set = directory / "set";
  auto first = record(set, makeSample("_Z5firstv", 7));
  std::mt19937 random(1);
  for (uint32_t round = 0; round < 30; ++round) {
    pid_t child = ::fork();
    if (child == 0) recordForever(set, round);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 120000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer stopped by itself";
    if (round % 8 == 7) expectAllWhole(set);
  }
  EXPECT_TRUE(verifyRecording(first, 1));
  size_t recordings = expectAllWhole(set);
  EXPECT_GT(recordings, 1u);
  auto collected = collectGarbage(set);
  ASSERT_TRUE(collected) << collected.error().message();
  EXPECT_TRUE(collected->leftAlone.empty());
  EXPECT_EQ(expectAllWhole(set), recordings);
  for (const auto& entry : fs::recursive_directory_iterator(set)) EXPECT_NE(entry.path().extension(), ".tmp");
  EXPECT_EQ(std::distance(fs::directory_iterator(set / "data"), fs::directory_iterator()), 1);
}

TEST(Crash, ProcessesAndACollectorShareADirectory) {
  TemporaryDirectory directory;
  auto set = directory / "set";
  std::vector<pid_t> children;
  for (uint32_t process = 0; process < 3; ++process) {
    pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (uint32_t run = 0; run < 4; ++run) {
        auto writer = openWriter(set);
        for (uint32_t i = 0; i < 5; ++i) {
          auto sample = makeSample("_Z6shared" + std::to_string(i) + "v", process * 100 + run * 10 + i);
          std::string ir = "shared code " + std::to_string(i);
          auto code = writer->addCode(CodeKind::Llvm, std::as_bytes(std::span(ir)), "bc");
          if (code) sample.manifest.code = {*code};
          auto added = write(*writer, sample);
          if (!added) std::fprintf(stderr, "writer: %s\n", added.error().message().c_str());
          good = added.has_value() && good;
        }
        good = writer->finish().has_value() && good;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (int i = 0; i < 10; ++i) {
    [[maybe_unused]] auto ignored = collectGarbage(set);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(expectAllWhole(set), 5u);
  ASSERT_TRUE(collectGarbage(set));
  EXPECT_EQ(expectAllWhole(set), 5u);
}

TEST(Crash, ThreadsAppendWithoutReplacing) {
  TemporaryDirectory directory;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < 5; ++i) record(directory / "set", makeSample("_Z1kv", 10 * t + i), true);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(expectAllWhole(directory / "set"), 20u);
}

/// A file size limit fails writes as a full disk does, at any byte, without root.
TEST(Crash, NoSpaceAtAnyPointLeavesNothingHalf) {
  TemporaryDirectory directory;
  auto set = directory / "set";
  auto first = record(set, makeSample("_Z5firstv", 7));
  for (rlim_t limit : {rlim_t{0}, rlim_t{1}, rlim_t{40}, rlim_t{1000}, rlim_t{70000}, rlim_t{200000}, rlim_t{262144}}) {
    pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGXFSZ, SIG_IGN);
      rlimit size{limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &size);
      auto writer = openWriter(set);
      auto sample = makeSample("_Z5otherv", 8);
      auto added = write(*writer, sample);
      bool clean = !added && added.error().code() == ErrorCode::Io;
      bool finished = writer->finish().has_value();
      ::_exit(clean && finished ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << limit;
    EXPECT_EQ(expectAllWhole(set), 1u) << limit;
    EXPECT_EQ(std::distance(fs::directory_iterator(set / "data"), fs::directory_iterator()), 1) << limit;
  }
  EXPECT_TRUE(verifyRecording(first, 1));
}

TEST(Crash, AnUnwritableDirectoryIsAnError) {
  TemporaryDirectory directory;
  std::ofstream(directory / "file") << "x";
  auto writer = openWriter(directory / "file");
  auto sample = makeSample();
  auto added = write(*writer, sample);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::Io);
  EXPECT_NE(added.error().message().find("file"), std::string::npos);
  EXPECT_TRUE(writer->finish());
}

}  // namespace
}  // namespace mneme::format::test
