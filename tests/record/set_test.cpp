// SPDX-License-Identifier: Apache-2.0
/// The recorder with the real recording set on disk, and as the environment starts it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "fakes.h"

namespace mneme::record::test {
namespace {

namespace fs = std::filesystem;

/// A directory of its own for each test, removed afterwards.
class RecordingSetTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path(testing::TempDir()) / (std::string("mneme_") + test->name() + std::to_string(getpid()));
    fs::remove_all(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  void start(Fixture& program, Options options = Fixture::defaults()) const {
    options.directory = directory_;
    program.recorder = makeRecorder(options, program.memory, setWriterFor(options));
    program.load(1);
  }
  [[nodiscard]] std::vector<fs::path> manifests() const {
    auto found = format::listManifests(directory_);
    return found ? *found : std::vector<fs::path>();
  }
  fs::path directory_;
};

using format::Recording;

TEST_F(RecordingSetTest, WhatIsReadBackIsWhatTheProgramHad) {
  Fixture program;
  const uint64_t buffer = program.memory.allocate(3 * format::kChunkBytes);
  FakeMemory::store(buffer, 11);
  start(program);
  Arguments arguments;
  EXPECT_TRUE(program.launch(arguments.add(buffer).launch("_Z4stepPi"),
                             [&] { FakeMemory::store(buffer + 2 * format::kChunkBytes, 22); }));
  program.recorder->drain();
  ASSERT_EQ(manifests().size(), 1u);
  auto recording = Recording::open(manifests()[0]);
  ASSERT_TRUE(recording) << recording.error().message();
  ASSERT_EQ((*recording)->manifest().regions.size(), 1u);
  EXPECT_EQ((*recording)->changedChunks(0), std::vector<uint32_t>{2});
  int after = 0;
  ASSERT_TRUE((*recording)->readAfter(1, [&](size_t, uint64_t, std::span<const std::byte> bytes) -> Expected<void> {
    std::memcpy(&after, bytes.data(), sizeof after);
    return {};
  }));
  EXPECT_EQ(after, 22);
  auto code = (*recording)->code((*recording)->manifest().code.at(0));
  ASSERT_TRUE(code);
  EXPECT_EQ(code->size(), program.bitcode.size());
}

TEST_F(RecordingSetTest, RecordingAgainReplaces) {
  for (int run = 0; run < 2; ++run) {
    Fixture program;
    start(program);
    Arguments arguments;
    program.launch(arguments.add(program.memory.allocate(64)).launch("kernel"));
    program.recorder->drain();
  }
  EXPECT_EQ(manifests().size(), 1u);
}

TEST_F(RecordingSetTest, AppendAdds) {
  Options options = Fixture::defaults();
  options.append = true;
  for (int run = 0; run < 2; ++run) {
    Fixture program;
    start(program, options);
    Arguments arguments;
    program.launch(arguments.add(program.memory.allocate(64)).launch("kernel"));
    program.recorder->drain();
  }
  EXPECT_EQ(manifests().size(), 2u);
}

TEST_F(RecordingSetTest, ADirectoryThatCannotBeMadeIsSaidOnce) {
  Fixture program;
  directory_ = "/proc/mneme/recordings";
  start(program);
  Arguments arguments;
  arguments.add(program.memory.allocate(64));
  testing::internal::CaptureStderr();
  program.launch(arguments.launch("one"));
  program.recorder->drain();
  program.launch(arguments.launch("two"));
  program.recorder->drain();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr("/proc/mneme"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST_F(RecordingSetTest, AFailedRecordingsCodeComesWithTheNextOne) {
  Fixture program;
  Options options = Fixture::defaults();
  options.maxBytes = 20000;
  start(program, options);
  const uint64_t big = program.memory.allocate(1 << 20), small = program.memory.allocate(64);
  for (uint64_t at = 0; at < 1 << 20; at += 8) FakeMemory::store(big + at, at * 0x9e3779b97f4a7c15u >> 7 | uint64_t{1} << 63);
  Arguments much, little;
  testing::internal::CaptureStderr();
  program.launch(much.add(big).launch("much"));
  program.recorder->drain();
  program.launch(little.add(small).launch("little"));
  program.recorder->drain();
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  ASSERT_EQ(manifests().size(), 1u);
  auto recording = Recording::open(manifests()[0]);
  ASSERT_TRUE(recording) << recording.error().message();
  ASSERT_EQ((*recording)->manifest().code.size(), 1u);
  EXPECT_TRUE((*recording)->code((*recording)->manifest().code[0]));
}

TEST_F(RecordingSetTest, TheByteLimitHoldsAcrossDrains) {
  Fixture program;
  Options options = Fixture::defaults();
  options.maxBytes = 100000;
  start(program, options);
  Arguments arguments;
  const uint64_t noise = program.memory.allocate(64 << 10);
  arguments.add(noise);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    for (uint64_t at = 0, x = 7 + i; at < 64 << 10; at += 8)
      FakeMemory::store(noise + at, (x = x * 6364136223846793005u + 99) | uint64_t{1} << 63);
    program.launch(arguments.launch("kernel" + std::to_string(i)));
    program.recorder->drain();
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("limit"));
  EXPECT_EQ(manifests().size(), 1u);
}

/// Runs `work` in a child, as the process's recorder is started once; true if it returned true.
template <typename Work>
bool inChild(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST_F(RecordingSetTest, TheEnvironmentStartsTheRecorder) {
  EXPECT_TRUE(inChild([&] {
    setenv("MNEME_RECORD", directory_.c_str(), 1);
    Fixture program;
    Recorder* recorder = Recorder::start(program.memory);
    if (!recorder || Recorder::active() != recorder || Recorder::start(program.memory) != recorder) return false;
    program.recorder.reset(recorder);
    program.load(1);
    Arguments arguments;
    const bool recorded = program.launch(arguments.add(program.memory.allocate(8)).launch("kernel"));
    recorder->drain();
    return recorded;
  }));
  EXPECT_EQ(manifests().size(), 1u);
}

TEST_F(RecordingSetTest, ABadValueLeavesTheProgramUnrecorded) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(inChild([&] {
    setenv("MNEME_RECORD", directory_.c_str(), 1);
    setenv("MNEME_RECORD_MAX", "lots", 1);
    FakeMemory memory;
    return Recorder::start(memory) == nullptr && Recorder::active() == nullptr;
  }));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("MNEME_RECORD_MAX='lots'"));
}

TEST_F(RecordingSetTest, WithoutTheVariableThereIsNoRecorder) {
  EXPECT_TRUE(inChild([] {
    unsetenv("MNEME_RECORD");
    FakeMemory memory;
    return Recorder::start(memory) == nullptr;
  }));
}

TEST_F(RecordingSetTest, AnotherRankRecordsNothing) {
  EXPECT_TRUE(inChild([&] {
    setenv("MNEME_RECORD", directory_.c_str(), 1);
    setenv("PMI_RANK", "1", 1);
    FakeMemory memory;
    return Recorder::start(memory) == nullptr;
  }));
}

TEST_F(RecordingSetTest, AFullDiskKeepsEarlierRecordings) {
  Fixture program;
  start(program);
  Arguments small, big;
  program.launch(small.add(program.memory.allocate(64)).launch("small"));
  program.recorder->drain();
  ASSERT_EQ(manifests().size(), 1u);

  const uint64_t noise = program.memory.allocate(4 << 20);
  for (uint64_t at = 0, x = 1; at < 4 << 20; at += 8) FakeMemory::store(noise + at, (x = x * 6364136223846793005u + 99) >> 9);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{}, old{};
  getrlimit(RLIMIT_FSIZE, &old);
  limit = old;
  limit.rlim_cur = 1 << 20;
  setrlimit(RLIMIT_FSIZE, &limit);
  testing::internal::CaptureStderr();
  program.launch(big.add(noise).launch("big"));
  program.recorder->drain();
  const std::string said = testing::internal::GetCapturedStderr();
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, before);
  EXPECT_THAT(said, testing::HasSubstr("File too large"));
  ASSERT_EQ(manifests().size(), 1u);
  auto recording = Recording::open(manifests()[0]);
  EXPECT_TRUE(recording) << recording.error().message();
}

}  // namespace
}  // namespace mneme::record::test
