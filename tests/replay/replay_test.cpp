// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <gtest/gtest.h>

#include "binaries.h"
#include "fakes.h"

namespace mneme::replay {
namespace {

using test::bytesOf;
using test::FakeDevice;
using test::FakeMemory;
using test::FakeRecording;

constexpr uint64_t kA = 0x100000000;

/// add(float* a, int n): a[0] = 1 becomes 2.
class ReplayTest : public testing::Test {
 protected:
  void SetUp() override {
    recording.addRegion({kA, 8, MemoryKind::Device, "a"}, ElementType::F32, bytesOf<float>({1, 7}), bytesOf<float>({2, 7}));
    recording.setPointer(0, kA);
    answer(2);
    request.code.deviceKinds = {CodeKind::Llvm};
  }
  void answer(float value) {
    device.body = [value](FakeMemory& memory, std::span<const std::byte>) { memory.store(kA, value); };
  }
  Verdict replay() {
    auto verdict = replay::replay(recording, device, request);
    EXPECT_TRUE(verdict) << verdict.error().message();
    return *verdict;
  }

  FakeRecording recording;
  FakeDevice device;
  Request request;
};

TEST_F(ReplayTest, Passes) {
  auto verdict = replay();
  EXPECT_EQ(verdict.outcome, Outcome::Pass);
  EXPECT_EQ(verdict.howCompared, "exactly");
  EXPECT_EQ(verdict.kernelNanoseconds, 1000u);
  EXPECT_EQ(verdict.comparison.bytes, 8u);
}

TEST_F(ReplayTest, AnotherAnswerIsAMismatchAndIsNotTimed) {
  answer(3);
  request.repeat = 5;
  auto verdict = replay();
  EXPECT_EQ(verdict.outcome, Outcome::Mismatch);
  EXPECT_EQ(verdict.comparison.regions[0].first->got, "3");
  EXPECT_TRUE(verdict.timedNanoseconds.empty());
  EXPECT_EQ(device.launches, 1);
}

TEST_F(ReplayTest, TimesTheVerifiedCode) {
  request.repeat = 3;
  auto verdict = replay();
  EXPECT_EQ(verdict.timedNanoseconds.size(), 3u);
  EXPECT_EQ(device.loaded.size(), 1u) << "what is timed is what was verified";
}

TEST_F(ReplayTest, HandsOnTheVerifiedSession) {
  bool restored = false;
  request.afterVerified = [&](ReplaySession& session, const SelectedCode& code) -> Expected<void> {
    EXPECT_EQ(code.origin, "recorded code");
    EXPECT_NE(device.memory.load<float>(kA), 1.0f) << "as the kernel left it";
    if (auto done = session.restoreChanged(); !done) return done;
    restored = device.memory.load<float>(kA) == 1.0f;
    auto time = session.run(3);
    return time ? Expected<void>() : Expected<void>(std::move(time).error());
  };
  EXPECT_EQ(replay().outcome, Outcome::Pass);
  EXPECT_TRUE(restored);
  EXPECT_EQ(device.launches, 4);
  answer(3);
  restored = false;
  EXPECT_EQ(replay().outcome, Outcome::Mismatch);
  EXPECT_FALSE(restored) << "a wrong answer is not handed on";
  request.compare = false;
  EXPECT_EQ(replay().outcome, Outcome::Pass) << "another replay compared it";
}

TEST_F(ReplayTest, AToleranceDecides) {
  answer(2.001f);
  EXPECT_EQ(replay().outcome, Outcome::Mismatch);
  request.tolerances = {*format::parseTolerance("a:rtol=0.01")};
  auto verdict = replay();
  EXPECT_EQ(verdict.outcome, Outcome::Pass);
  EXPECT_NE(verdict.howCompared.find("--tolerance"), std::string::npos);
  EXPECT_FALSE(verdict.comparison.identical());
  request.selfCheck = true;
  EXPECT_EQ(replay().outcome, Outcome::Mismatch) << "a self-check is exact";
}

TEST_F(ReplayTest, NotReproducedIsUndecided) {
  recording.value.selfCheck["llvm"] = {format::SelfCheck::Result::NotReproduced, 0, 0, 0, "race"};
  auto verdict = replay();
  EXPECT_EQ(verdict.outcome, Outcome::Undecided);
  EXPECT_NE(verdict.reason.find("race"), std::string::npos);
}

TEST_F(ReplayTest, KernelGoneNeverTouchesTheDevice) {
  test::Binary binary({{"a.cu", "code", {"_Z5otherv"}}});
  request.code.binary = binary.path();
  EXPECT_EQ(replay().outcome, Outcome::KernelGone);
  EXPECT_TRUE(device.loaded.empty());
}

TEST_F(ReplayTest, ParametersChangedNeverLaunches) {
  device.parameters = {{0, 8}, {8, 8}};
  auto verdict = replay();
  EXPECT_EQ(verdict.outcome, Outcome::ParametersChanged);
  EXPECT_EQ(device.launches, 0);
}

TEST_F(ReplayTest, RunsTheCodeOfTheBinary) {
  test::Binary binary({{"a.cu", "new code", {"_Z3addPfi"}}});
  request.code.binary = binary.path();
  auto verdict = replay();
  EXPECT_EQ(verdict.origin, "current build");
  ASSERT_EQ(device.loaded.size(), 1u);
  EXPECT_EQ(device.loaded[0].bytes, code::test::asBytes("new code"));
}

}  // namespace
}  // namespace mneme::replay
