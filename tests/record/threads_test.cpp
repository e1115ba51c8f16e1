// SPDX-License-Identifier: Apache-2.0
/// Launches, modules and drains from many threads; run under the thread sanitizer too.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "fakes.h"

namespace mneme::record::test {
namespace {

template <typename Work>
void inThreads(int count, Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, EachKernelIsRecordedOnceWhoeverLaunchesIt) {
  Fixture program;
  Options options = Fixture::defaults();
  options.deadline = std::chrono::seconds(60);
  const uint64_t buffer = program.memory.allocate(4096);
  program.start(options);
  std::atomic<int> recorded{0};
  inThreads(8, [&](int) {
    Arguments arguments;
    arguments.add(buffer);
    for (int i = 0; i < 200; ++i)
      if (program.launch(arguments.launch("kernel" + std::to_string(i % 20)))) ++recorded;
  });
  EXPECT_EQ(recorded, 20);
  std::set<std::string> names;
  for (const Written& written : program.recordings()) names.insert(written.manifest.kernel);
  EXPECT_EQ(names.size(), 20u);
}

TEST(Threads, OrdinalsAreUnique) {
  Fixture program;
  Options options = Fixture::defaults();
  options.max = 0;
  options.deadline = std::chrono::seconds(60);
  program.start(options);
  inThreads(4, [&](int) {
    Arguments arguments;
    for (int i = 0; i < 25; ++i) program.launch(arguments.launch("kernel"));
  });
  std::set<uint64_t> ordinals;
  for (const Written& written : program.recordings()) ordinals.insert(written.manifest.ordinal);
  EXPECT_EQ(ordinals.size(), 100u);
  EXPECT_EQ(*ordinals.rbegin(), 99u);
}

TEST(Threads, AnotherThreadsLaunchesAndCopiesWaitForTheRecordedOne) {
  Fixture program;
  const uint64_t buffer = program.memory.allocate(4);
  program.start();
  Arguments arguments;
  arguments.add(buffer);
  LaunchToken other = program.recorder->launching(arguments.launch("known"));
  program.recorder->launched(std::move(other), true);

  LaunchToken token = program.recorder->launching(arguments.launch("recorded"));
  ASSERT_TRUE(token);
  std::atomic<int> went{0};
  std::thread launcher([&] {
    program.launch(arguments.launch("known"));
    ++went;
  });
  std::thread copier([&] {
    program.recorder->writing(0);
    ++went;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(went, 0);
  program.recorder->writing(0);  // the recording thread itself never waits
  EXPECT_FALSE(program.recorder->launching(arguments.launch("nested")));
  program.recorder->launched(std::move(token), true);
  launcher.join();
  copier.join();
  for (const Written& written : program.recordings()) EXPECT_FALSE(written.manifest.sharedWrites);
}

TEST(Threads, OtherDevicesDoNotWait) {
  Fixture program;
  program.start();
  Arguments arguments;
  LaunchToken token = program.recorder->launching(arguments.launch("recorded"));
  ASSERT_TRUE(token);
  std::thread([&] {
    program.recorder->writing(1);
    LaunchInfo info = arguments.launch("elsewhere");
    info.device = 1;
    EXPECT_TRUE(program.launch(info));
  }).join();
  program.recorder->launched(std::move(token), true);
}

TEST(Threads, ALaunchThatCannotWaitLongerGoesOnAndTheRecordingSaysSo) {
  Fixture program;
  Options options = Fixture::defaults();
  options.deadline = std::chrono::milliseconds(20);
  program.start(options);
  Arguments arguments;
  LaunchToken token = program.recorder->launching(arguments.launch("recorded"));
  ASSERT_TRUE(token);
  std::thread([&] { program.recorder->writing(0); }).join();
  testing::internal::CaptureStderr();
  std::thread([&] { EXPECT_FALSE(program.launch(arguments.launch("second"))); }).join();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("until the deadline"), std::string::npos);
  program.recorder->launched(std::move(token), true);
  const auto all = program.recordings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].manifest.sharedWrites);
}

TEST(Threads, ATokenThatIsNeverLaunchedFreesTheDevice) {
  Fixture program;
  program.start();
  Arguments arguments;
  { LaunchToken dropped = program.recorder->launching(arguments.launch("dropped")); }
  EXPECT_TRUE(program.launch(arguments.launch("next")));
  EXPECT_EQ(program.recordings().size(), 1u);
}

TEST(Threads, ModulesComeAndGoWhileOthersLaunchAndDrain) {
  Fixture program;
  Options options = Fixture::defaults();
  options.deadline = std::chrono::seconds(60);
  program.start(options);
  std::atomic<int> recorded{0};
  inThreads(6, [&](int thread) {
    Arguments arguments;
    for (int i = 0; i < 40; ++i) {
      const ModuleId module = 100 + static_cast<ModuleId>(thread) * 1000 + static_cast<ModuleId>(i);
      program.load(module);
      const std::string name = "kernel" + std::to_string(thread) + "_" + std::to_string(i);
      LaunchInfo info = arguments.launch(name);
      info.module = module;
      if (program.launch(info)) ++recorded;
      program.recorder->moduleUnloaded(module);
      if (i % 16 == 0) program.recorder->drain();
    }
  });
  EXPECT_EQ(recorded, 240);
  EXPECT_EQ(program.recordings().size(), 240u);
}

}  // namespace
}  // namespace mneme::record::test
