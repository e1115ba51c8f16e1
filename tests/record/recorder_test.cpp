// SPDX-License-Identifier: Apache-2.0
/// One launch from enter to the writer: what the manifest says and which bytes are kept.
#include "record/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.h"
#include "record/manifest_builder.h"

namespace mneme::record::test {
namespace {

TEST(Recorder, KeepsMemoryBeforeAndChunksThatChanged) {
  Fixture program;
  const uint64_t size = 3 * format::kChunkBytes + 100;
  const uint64_t input = program.memory.allocate(64), output = program.memory.allocate(size);
  FakeMemory::store(input, 42);
  FakeMemory::store(output + size - 4, 7);
  program.start();
  EXPECT_TRUE(program.launch(Arguments().add(input).add(output).launch("_Z4fillPKiPi"), [&] {
    FakeMemory::store(output + format::kChunkBytes, 1);
    FakeMemory::store(output + size - 4, 8);
  }));
  FakeMemory::store(input, 43);  // the program runs on: neither snapshot may see it
  FakeMemory::store(output + size - 4, 9);

  const auto all = program.recordings();
  ASSERT_EQ(all.size(), 1u);
  const Written& written = all.front();
  EXPECT_EQ(FakeMemory::load<int>(reinterpret_cast<uint64_t>(written.region(input)->data())), 42);
  EXPECT_EQ(FakeMemory::load<int>(reinterpret_cast<uint64_t>(written.region(output)->data()) + size - 4), 7);
  const size_t out = written.manifest.regions[0].range.address == output ? 0 : 1;
  EXPECT_EQ(written.changedChunks[out], (std::vector<uint32_t>{1, 3}));
  EXPECT_TRUE(written.changedChunks[1 - out].empty());
  ASSERT_EQ(written.after[out].size(), format::kChunkBytes + 100);
  EXPECT_EQ(FakeMemory::load<int>(reinterpret_cast<uint64_t>(written.after[out].data())), 1);
  EXPECT_EQ(FakeMemory::load<int>(reinterpret_cast<uint64_t>(written.after[out].data()) + written.after[out].size() - 4), 8);
  EXPECT_TRUE(written.manifest.regions[out].changed);
  EXPECT_EQ(written.manifest.regions[out].changedBytes, format::kChunkBytes + 100);
  EXPECT_FALSE(written.manifest.regions[1 - out].changed);
}

TEST(Recorder, WhatTheInterceptorRefusesIsNotTriedAgain) {
  Fixture program;
  const uint64_t memory = program.memory.allocate(64);
  program.start();
  const auto arguments = Arguments().add(memory);
  LaunchInfo info = arguments.launch("sample");
  info.refusal = "its argument 0 is a texture object";
  testing::internal::CaptureStderr();
  EXPECT_FALSE(program.launch(info));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("sample cannot be recorded: its argument 0 is a texture object"));
  EXPECT_FALSE(program.launch(arguments.launch("sample")));
  EXPECT_TRUE(program.launch(arguments.launch("other")));
}

TEST(Recorder, TheManifestDescribesTheLaunch) {
  Fixture program;
  Options options = Fixture::defaults();
  options.rank = 4;
  program.start(options);
  Arguments arguments;
  arguments.add(char{1}).add(uint64_t{2});
  LaunchInfo info = arguments.launch("_Z4stepd", {5, 6, 7});
  info.shape.block = {8, 2, 1};
  info.shape.dynamicSharedBytes = 4096;
  info.shape.cooperative = true;
  info.maxDynamicSharedBytes = 65536;
  info.sharedCarveout = 50;
  info.stackLimit = 2048;
  EXPECT_TRUE(program.launch(info));
  const auto all = program.recordings();
  ASSERT_EQ(all.size(), 1u);
  const format::Manifest& manifest = all.front().manifest;
  EXPECT_EQ(manifest.kernel, "_Z4stepd");
  EXPECT_EQ(manifest.demangled, "step(double)");
  EXPECT_EQ(manifest.shape, info.shape);
  EXPECT_EQ(manifest.rank, 4u);
  EXPECT_EQ(manifest.ordinal, 0u);
  ASSERT_EQ(manifest.parameters.size(), 2u);
  EXPECT_EQ(manifest.parameters[1], (ParameterSlot{8, 8}));
  ASSERT_EQ(manifest.arguments.size(), 16u);
  EXPECT_EQ(manifest.arguments[8], 2);
  EXPECT_EQ(manifest.maxDynamicSharedBytes, 65536);
  EXPECT_EQ(manifest.sharedCarveout, 50);
  EXPECT_EQ(manifest.stackLimit, 2048);
  EXPECT_EQ(manifest.backend, "fake");
  EXPECT_EQ(manifest.model, "Fake 1");
  EXPECT_EQ(manifest.kernelNanoseconds, 1234u);
  EXPECT_FALSE(manifest.sharedWrites);
  EXPECT_THAT(manifest.program, testing::HasSubstr("mneme_test_record"));
  EXPECT_THAT(manifest.recordedAt, testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"));
  EXPECT_FALSE(manifest.mnemeVersion.empty());
  ASSERT_EQ(manifest.code.size(), 1u);
  EXPECT_EQ(manifest.code[0].hash, hash128(program.bitcode));
  EXPECT_EQ(manifest.code[0].architecture, "fake_1");
  EXPECT_EQ(manifest.code[0].source, "a.cu");
  EXPECT_EQ(manifest.code[0].command, "clang a.cu");
}

TEST(Recorder, CodeIsStoredOnceForAModule) {
  Fixture program;
  program.start();
  EXPECT_TRUE(program.launch(Arguments().add(1).launch("first")));
  EXPECT_TRUE(program.launch(Arguments().add(1).launch("second")));
  const auto all = program.recordings();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(program.set.code.size(), 1u);
  EXPECT_EQ(all[1].manifest.code.size(), 1u);
}

TEST(Recorder, AModuleMayGoBeforeItsCodeIsWritten) {
  Fixture program;
  program.start();
  program.set.held = true;
  EXPECT_TRUE(program.launch(Arguments().add(1).launch("blocker")));
  program.load(2);
  Arguments arguments;
  LaunchInfo info = arguments.add(1).launch("late");
  info.module = 2;
  EXPECT_TRUE(program.launch(info));
  program.recorder->moduleUnloaded(2);
  program.bitcode.assign("XXXXXXX");
  program.set.held = false;
  ASSERT_EQ(program.recordings().size(), 2u);
  for (const std::string& code : program.set.code) EXPECT_EQ(code, "bitcode");
}

TEST(Recorder, AKernelOfAnUnknownModuleIsRefused) {
  Fixture program;
  program.start();
  Arguments arguments;
  LaunchInfo info = arguments.add(1).launch("stranger");
  info.module = 99;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(program.launch(info));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("stranger cannot be recorded: its code"));
}

TEST(Recorder, SharedWritesAreMarked) {
  Fixture program;
  program.memory.reportSharedWrites = true;
  program.start();
  Arguments arguments;
  program.launch(arguments.add(program.memory.allocate(8)).launch("kernel"));
  ASSERT_EQ(program.recordings().size(), 1u);
  EXPECT_TRUE(program.recordings()[0].manifest.sharedWrites);
}

TEST(Recorder, RegionsAreSortedByAddress) {
  Fixture program;
  Arguments arguments;
  for (int i = 0; i < 20; ++i) arguments.add(program.memory.allocate(64 * (20 - i)));
  program.start();
  program.launch(arguments.launch("kernel"));
  const auto all = program.recordings();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].manifest.regions.size(), 20u);
  for (size_t i = 1; i < 20; ++i)
    EXPECT_LT(all[0].manifest.regions[i - 1].range.address, all[0].manifest.regions[i].range.address);
}

TEST(Recorder, DrainFlushesAndRecordingGoesOn) {
  Fixture program;
  program.start();
  Arguments arguments;
  arguments.add(1);
  program.launch(arguments.launch("one"));
  EXPECT_EQ(program.recordings().size(), 1u);
  EXPECT_EQ(program.set.finished, 1);
  program.launch(arguments.launch("two"));
  EXPECT_EQ(program.recordings().size(), 2u);
  EXPECT_EQ(program.set.finished, 2);
  EXPECT_EQ(program.memory.scratches, 0);
}

TEST(Recorder, NothingIsOpenedWhereNothingIsRecorded) {
  Fixture program;
  Options options = Fixture::defaults();
  options.kernels = *Pattern::compile("other");
  program.start(options);
  Arguments arguments;
  EXPECT_FALSE(program.launch(arguments.add(1).launch("kernel")));
  EXPECT_TRUE(program.recordings().empty());
  EXPECT_EQ(program.set.opened, 0);
  EXPECT_EQ(program.memory.captures, 0);
}

TEST(ShellQuoted, OnlyWhereNeeded) {
  EXPECT_EQ(shellQuoted("a/b-c=1"), "a/b-c=1");
  EXPECT_EQ(shellQuoted(""), "''");
  EXPECT_EQ(shellQuoted("a b"), "'a b'");
  EXPECT_EQ(shellQuoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shellQuoted("$HOME"), "'$HOME'");
}

}  // namespace
}  // namespace mneme::record::test
