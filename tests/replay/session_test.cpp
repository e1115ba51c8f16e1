// SPDX-License-Identifier: Apache-2.0
#include "replay/session.h"

#include <gtest/gtest.h>

#include "fakes.h"

namespace mneme::replay {
namespace {

using test::bytesOf;
using test::FakeDevice;
using test::FakeMemory;
using test::FakeRecording;

constexpr uint64_t kX = 0x100000000, kY = 0x200000000;

/// y[i] = 2 * x[i] for two chunks of floats; x is only read. `add` adds to what the kernel does.
class ReplaySessionTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<float> x(kCount), y(kCount, 0), doubled(kCount);
    for (size_t i = 0; i < kCount; ++i) {
      x[i] = static_cast<float>(i);
      doubled[i] = 2 * x[i];
    }
    recording.addRegion({kX, kCount * 4, MemoryKind::Device, ""}, ElementType::F32, bytesOf(x), bytesOf(x));
    recording.addRegion({kY, kCount * 4, MemoryKind::Device, "y"}, ElementType::F32, bytesOf(y), bytesOf(doubled));
    recording.value.parameters = device.parameters = {{0, 8}, {8, 8}};
    recording.value.arguments.resize(16);
    recording.setPointer(0, kX);
    recording.setPointer(8, kY);
    device.body = [](FakeMemory& memory, std::span<const std::byte> arguments) {
      uint64_t x = 0, y = 0;
      std::memcpy(&x, &arguments[0], 8);
      std::memcpy(&y, &arguments[8], 8);
      for (size_t i = 0; i < kCount; ++i) memory.store(y + 4 * i, 2 * memory.load<float>(x + 4 * i));
    };
    code.kernel = device.kernelName;
    code.origin = "recorded code";
  }

  std::unique_ptr<ReplaySession> open(SessionOptions options = {}) {
    auto opened = ReplaySession::open(recording, device, code, options);
    EXPECT_TRUE(opened) << opened.error().message();
    return std::move(opened->session);
  }
  static std::vector<RegionRule> exact() { return {{ElementType::F32, {}}, {ElementType::F32, {}}}; }

  Comparison replay(SessionOptions options = {}) {
    auto session = open(options);
    EXPECT_TRUE(session->run());
    auto comparison = session->compare(exact());
    EXPECT_TRUE(comparison) << comparison.error().message();
    return *comparison;
  }

  static constexpr size_t kCount = 2 * test::kChunkBytes / 4;
  FakeRecording recording;
  FakeDevice device;
  SelectedCode code;
};

TEST_F(ReplaySessionTest, RestoresRunsAndFindsTheSameAnswer) {
  auto comparison = replay();
  EXPECT_TRUE(comparison.identical());
  EXPECT_EQ(comparison.bytes, 2 * kCount * 4);
  EXPECT_EQ(recording.beforeReads, 1) << "unchanged chunks are compared by hash";
}

TEST_F(ReplaySessionTest, WorksThroughDeviceCopiesAndWithoutHashes) {
  device.showsMemory = false;
  recording.knowsHashes = false;
  EXPECT_TRUE(replay().identical());
  EXPECT_EQ(recording.beforeReads, 2);
}

TEST_F(ReplaySessionTest, AWriteToAnUnchangedRegionIsFound) {
  auto kernel = device.body;
  device.body = [kernel](FakeMemory& memory, std::span<const std::byte> arguments) {
    kernel(memory, arguments);
    memory.store(kX + test::kChunkBytes + 4, 0.0f);
  };
  auto comparison = replay();
  EXPECT_FALSE(comparison.passed());
  EXPECT_EQ(comparison.regions[0].wrong, 1u);
  EXPECT_EQ(comparison.regions[0].first->offset, test::kChunkBytes + 4);
  EXPECT_EQ(comparison.regions[1].wrong, 0u);
  EXPECT_EQ(comparison.bytes, 2 * kCount * 4);
}

TEST_F(ReplaySessionTest, AKernelThatDoesNothingIsFound) {
  device.body = [](FakeMemory&, std::span<const std::byte>) {};
  EXPECT_EQ(replay().regions[1].wrong, kCount - 1) << "all but y[0], which stays 0";
}

TEST_F(ReplaySessionTest, RelocatesARefusedRangeAndItsPointers) {
  device.refused = {kY};
  auto session = open();
  EXPECT_EQ(session->relocatedCount(), 1u);
  ASSERT_TRUE(session->run());
  EXPECT_TRUE(session->compare(exact())->identical());
  EXPECT_FALSE(device.memory.has(kY));
}

TEST_F(ReplaySessionTest, RelocatesPointersStoredInMemory) {
  device.refused = {kX};
  std::vector<uint64_t> table{kX + 8, 5}, tableAfter{kX + 16, 5};
  recording.addRegion({0x300000000, 16, MemoryKind::Device, ""}, ElementType::Bytes, bytesOf(table), bytesOf(tableAfter));
  auto kernel = device.body;
  device.body = [kernel](FakeMemory& memory, std::span<const std::byte> arguments) {
    kernel(memory, arguments);
    memory.store(0x300000000, memory.load<uint64_t>(0x300000000) + 8);
  };
  auto session = open();
  ASSERT_TRUE(session->run());
  auto rules = exact();
  rules.push_back({ElementType::Bytes, {}});
  EXPECT_TRUE(session->compare(rules)->identical());
  EXPECT_NE(device.memory.load<uint64_t>(0x300000000), kX + 16);
}

TEST_F(ReplaySessionTest, ARefusedRangeIsAnErrorWhereRelocationIsOff) {
  device.refused = {kY};
  auto opened = ReplaySession::open(recording, device, code, {false, false, 0});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::Unavailable);
}

TEST_F(ReplaySessionTest, RestoresOnlyWhatChangedBetweenRuns) {
  auto kernel = device.body;
  device.body = [kernel](FakeMemory& memory, std::span<const std::byte> arguments) {
    EXPECT_EQ(memory.load<float>(kY + 4), 0.0f) << "each run starts from the memory before";
    kernel(memory, arguments);
  };
  auto session = open({true, true, 0});
  ASSERT_TRUE(session->run());
  ASSERT_TRUE(session->restoreChanged());
  ASSERT_TRUE(session->run());
  EXPECT_TRUE(session->compare(exact())->identical());
  EXPECT_EQ(recording.beforeReads, 1);
}

TEST_F(ReplaySessionTest, OtherParametersNeverRun) {
  device.parameters = {{0, 8}, {8, 4}};
  auto opened = ReplaySession::open(recording, device, code, {});
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->obstacle, Obstacle::ParametersChanged);
  EXPECT_EQ(device.launches, 0);
}

TEST_F(ReplaySessionTest, GlobalsGoWhereTheCodeHasThem) {
  recording.addRegion({0x400000000, 4, MemoryKind::Global, "factor"}, ElementType::I32, bytesOf<int>({3}), bytesOf<int>({4}));
  device.variables = {{"factor", 0x500000000, 4, false}};
  auto kernel = device.body;
  device.body = [kernel](FakeMemory& memory, std::span<const std::byte> arguments) {
    kernel(memory, arguments);
    memory.store(0x500000000, memory.load<int>(0x500000000) + 1);
  };
  auto session = open();
  ASSERT_TRUE(session->run());
  auto rules = exact();
  rules.push_back({ElementType::I32, {}});
  EXPECT_TRUE(session->compare(rules)->identical());
  EXPECT_EQ(device.memory.load<int>(0x500000000), 4);
}

TEST_F(ReplaySessionTest, AGlobalOfAnotherSizeNeedsANewRecording) {
  recording.addRegion({0x400000000, 4, MemoryKind::Global, "factor"}, ElementType::I32, bytesOf<int>({3}), bytesOf<int>({3}));
  device.variables = {{"factor", 0x500000000, 8, false}};
  auto opened = ReplaySession::open(recording, device, code, {});
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->obstacle, Obstacle::VariableChanged);
  EXPECT_NE(opened->reason.find("factor"), std::string::npos);
}

TEST_F(ReplaySessionTest, AResizedGlobalOfOtherKernelsDoesNotMatter) {
  recording.addRegion({0x400000000, 4, MemoryKind::Global, "factor"}, ElementType::I32, bytesOf<int>({3}), bytesOf<int>({3}));
  recording.addRegion({0x600000000, 4, MemoryKind::Global, "mine"}, ElementType::I32, bytesOf<int>({5}), bytesOf<int>({5}));
  device.variables = {{"factor", 0x500000000, 8, false}, {"mine", 0x700000000, 4, false}};
  device.usedVariables = {"mine"};
  auto session = open();
  ASSERT_TRUE(session->run());
  auto rules = exact();
  rules.insert(rules.end(), 2, {ElementType::I32, {}});
  EXPECT_TRUE(session->compare(rules)->identical());
  EXPECT_EQ(device.memory.load<int>(0x700000000), 5);
  device.usedVariables = {"mine", "factor"};
  auto used = ReplaySession::open(recording, device, code, {});
  ASSERT_TRUE(used);
  EXPECT_EQ(used->obstacle, Obstacle::VariableChanged);
}

}  // namespace
}  // namespace mneme::replay
