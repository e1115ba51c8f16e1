// SPDX-License-Identifier: Apache-2.0
/// What goes wrong is said once, drops that recording whole, and is never the program's trouble.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "fakes.h"

namespace mneme::record::test {
namespace {

using testing::HasSubstr;

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Launches `count` kernels that each add one to the same number; returns what was said.
std::string runProgram(Fixture& program, int count, uint64_t counter) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < count; ++i) {
    Arguments arguments;
    const std::string name = "kernel" + std::to_string(i);
    program.launch(arguments.add(counter).launch(name),
                   [&] { FakeMemory::store(counter, FakeMemory::load<int>(counter) + 1); });
  }
  program.recorder->drain();
  return testing::internal::GetCapturedStderr();
}

TEST(Trouble, AFullDiskIsSaidOnceAndStopsRecording) {
  Fixture program;
  program.set.failure = Error(ErrorCode::Io, "writing set/data/0.pack: No space left on device");
  const uint64_t counter = program.memory.allocate(4);
  program.start();
  std::string said = runProgram(program, 3, counter);
  EXPECT_EQ(occurrences(said, "No space left"), 1u) << said;
  const int captures = program.memory.captures;
  said = runProgram(program, 10, counter);
  EXPECT_EQ(said, "");
  EXPECT_EQ(program.memory.captures, captures) << "nothing is captured for a set that cannot be written";
  EXPECT_EQ(FakeMemory::load<int>(counter), 13);
  EXPECT_EQ(program.memory.scratches, 0);
}

TEST(Trouble, AFailingCaptureLeavesTheLaunchAlone) {
  Fixture program;
  program.memory.captureFailure = Error(ErrorCode::Unavailable, "no room for scratch");
  const uint64_t counter = program.memory.allocate(4);
  program.start();
  const std::string said = runProgram(program, 5, counter);
  EXPECT_EQ(occurrences(said, "no room for scratch"), 1u) << said;
  EXPECT_EQ(FakeMemory::load<int>(counter), 5);
  EXPECT_TRUE(program.set.all().empty());
}

TEST(Trouble, AnExceptionInsideIsContained) {
  Fixture program;
  program.memory.throwOnCapture = true;
  const uint64_t counter = program.memory.allocate(4);
  program.start();
  EXPECT_THAT(runProgram(program, 2, counter), HasSubstr("bad_alloc"));
  EXPECT_EQ(FakeMemory::load<int>(counter), 2);
  program.memory.throwOnCapture = false;
  Arguments arguments;
  EXPECT_TRUE(program.launch(arguments.add(counter).launch("later"))) << "the device was not let go";
}

TEST(Trouble, AFailingCompareDropsTheRecording) {
  Fixture program;
  program.memory.compareFailure = Error(ErrorCode::Unavailable, "the kernel ran past the deadline");
  const uint64_t counter = program.memory.allocate(4);
  program.start();
  EXPECT_THAT(runProgram(program, 1, counter), HasSubstr("kernel0 was not recorded: the kernel ran past"));
  program.memory.compareFailure.reset();
  Arguments arguments;
  EXPECT_TRUE(program.launch(arguments.add(counter).launch("kernel0"))) << "a later launch takes its place";
  const auto all = program.recordings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].manifest.ordinal, 1u);
}

TEST(Trouble, AFailedLaunchIsNotARecording) {
  Fixture program;
  program.start();
  Arguments arguments;
  arguments.add(program.memory.allocate(4));
  testing::internal::CaptureStderr();
  EXPECT_TRUE(program.launch(arguments.launch("kernel"), [] {}, false));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("launch failed"));
  EXPECT_TRUE(program.recordings().empty());
  EXPECT_TRUE(program.launch(arguments.launch("kernel")));
}

TEST(Trouble, MemoryWaitingToBeWrittenIsBounded) {
  Fixture program;
  Options options = Fixture::defaults();
  options.memoryBytes = 3 << 20;
  options.deadline = std::chrono::milliseconds(30);
  const uint64_t buffer = program.memory.allocate(1 << 20), huge = program.memory.allocate(2 << 20);
  program.start(options);
  program.set.held = true;
  Arguments arguments, tooMuch;
  arguments.add(buffer);
  tooMuch.add(huge);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(program.launch(arguments.launch("first")));
  EXPECT_TRUE(program.launch(arguments.launch("second"))) << "the first one's room for changes came back";
  const auto start = Clock::now();
  EXPECT_FALSE(program.launch(arguments.launch("third")));
  EXPECT_GE(Clock::now() - start, options.deadline);
  EXPECT_EQ(program.memory.scratches, 4);
  program.set.held = false;
  EXPECT_EQ(program.recordings().size(), 2u);
  EXPECT_TRUE(program.launch(arguments.launch("third")));
  EXPECT_FALSE(program.launch(tooMuch.launch("never fits")));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("MNEME_RECORD_MEMORY"));
  EXPECT_EQ(program.recordings().size(), 3u);
}

TEST(Trouble, BackPressureEndsWhenMemoryIsFreeAgain) {
  Fixture program;
  Options options = Fixture::defaults();
  options.memoryBytes = 2 << 20;
  options.deadline = std::chrono::seconds(60);
  program.start(options);
  Arguments arguments;
  arguments.add(program.memory.allocate(1 << 20));
  program.set.held = true;
  EXPECT_TRUE(program.launch(arguments.launch("first")));
  std::thread disk([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    program.set.held = false;
  });
  EXPECT_TRUE(program.launch(arguments.launch("second")));
  disk.join();
  EXPECT_EQ(program.recordings().size(), 2u);
}

TEST(Trouble, AScanPastTheDeadlineIsGivenUp) {
  Fixture program;
  Options options = Fixture::defaults();
  options.deadline = std::chrono::milliseconds(0);
  program.start(options);
  Arguments arguments;
  arguments.add(program.memory.allocate(8));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(program.launch(arguments.launch("kernel")));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("MNEME_RECORD_DEADLINE_MS"));
}

/// The events of a report, by name.
std::vector<nlohmann::json> events(const std::string& path) {
  std::ifstream file(path);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(Trouble, EveryEventIsReported) {
  const std::string path = testing::TempDir() + "mneme_report_" + std::to_string(getpid());
  Fixture program;
  Options options = Fixture::defaults();
  options.report = path;
  program.memory.codeBegin = 0x7f0000001000;
  program.memory.codeSize = 16;
  program.start(options);
  Arguments good, code;
  good.add(program.memory.allocate(4));
  code.add(uint64_t{0x7f0000001008});
  testing::internal::CaptureStderr();
  program.launch(good.launch("_Z4goodPi"));
  program.launch(code.launch("_Z4codePi"));
  program.launch(good.launch("_Z4failPi"), [] {}, false);
  program.recorder->notRecorded("_Z4nodev", "it is part of a graph");
  program.recorder->notRecorded("_Z4nodev", "it is part of a graph");
  program.recorder->drain();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "said twice: who reads the report says it";
  std::map<std::string, nlohmann::json> byEvent;
  uint64_t nodes = 0;
  for (auto& event : events(path)) {
    byEvent[event["event"]] = event;
    if (event["event"] == "not-recorded") nodes += event.value("times", uint64_t{1});
  }
  EXPECT_EQ(nodes, 2u);
  ::unlink(path.c_str());
  ASSERT_EQ(byEvent.size(), 6u);
  EXPECT_TRUE(byEvent.contains("seen") && byEvent.contains("captured"));
  EXPECT_EQ(byEvent["added"]["kernel"], "_Z4goodPi");
  EXPECT_EQ(byEvent["added"]["manifest"], "set/_Z4goodPi.json");
  EXPECT_EQ(byEvent["refused"]["kernel"], "_Z4codePi");
  EXPECT_EQ(byEvent["dropped"]["kernel"], "_Z4failPi");
  EXPECT_EQ(byEvent["not-recorded"]["reason"], "it is part of a graph");
}

TEST(Trouble, WithoutAReportStderrHasTheCounts) {
  Fixture program;
  program.start();
  testing::internal::CaptureStderr();
  program.recorder->notRecorded("_Z4nodev", "it is part of a graph");
  program.recorder->notRecorded("_Z4nodev", "it is part of a graph");
  program.recorder->drain();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("2 launches of node() not recorded: it is part of a"));
}

TEST(Trouble, AnUnwritableReportDoesNotStopRecording) {
  Fixture program;
  Options options = Fixture::defaults();
  options.report = "/nonexistent/report";
  program.start(options);
  Arguments arguments;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(program.launch(arguments.add(1).launch("kernel")));
  EXPECT_EQ(program.recordings().size(), 1u);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("/nonexistent/report"));
}

TEST(Trouble, AForkedChildRecordsNothingAndDoesNotHang) {
  Fixture program;
  program.start();
  program.set.held = true;  // the parent's thread is busy inside the writer while the process forks
  Arguments arguments;
  arguments.add(program.memory.allocate(4));
  EXPECT_TRUE(program.launch(arguments.launch("parent")));
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    program.recorder->abandonInChild();
    const bool recorded = program.launch(arguments.launch("child"));
    program.recorder->writing(0);
    program.recorder->moduleUnloaded(1);
    program.recorder->notRecorded("child", "why");
    program.recorder->drain();
    _exit(recorded ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  program.set.held = false;
  EXPECT_EQ(program.recordings().size(), 1u);
}

}  // namespace
}  // namespace mneme::record::test
