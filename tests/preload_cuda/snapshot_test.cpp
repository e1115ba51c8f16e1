// SPDX-License-Identifier: Apache-2.0
/// Captures and changes on a driver made of host memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "../backend_cuda/fake_driver.h"
#include "preload/cuda/memory_access.h"

namespace mneme::preload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kChunk = 64 * 1024;

class SnapshotTest : public testing::Test {
 protected:
  SnapshotTest() : api_(cuda::makeFakeApi()) {
    setenv("MNEME_RECORD_DEADLINE_MS", "50", 1);
    memory_.emplace(api_, allocations_, modules_);
    auto context = Context::make(api_, reinterpret_cast<CUcontext>(5));
    EXPECT_TRUE(context);
    DriverMemory::setLaunch(*context, reinterpret_cast<CUstream>(9));
  }
  ~SnapshotTest() override { DriverMemory::clearLaunch(); }

  static MemoryRange rangeOf(const std::vector<std::byte>& bytes, size_t skip = 0,
                             MemoryKind kind = MemoryKind::Device) {
    return {reinterpret_cast<uint64_t>(bytes.data()) + skip, bytes.size() - skip, kind, {}};
  }

  const cuda::Api api_;
  Allocations allocations_;
  Modules modules_;
  std::optional<DriverMemory> memory_;
};

TEST_F(SnapshotTest, KeepsWhatWasThereAndWhatChanged) {
  std::vector<std::byte> one(5 * kChunk + 100, std::byte{1}), two(3 * kChunk, std::byte{2});
  const std::vector<MemoryRange> ranges{rangeOf(one, 5), rangeOf(two)};
  auto before = memory_->capture(ranges);
  ASSERT_TRUE(before) << before.error().message();
  one[5 + 2 * kChunk] = std::byte{9};
  one.back() = std::byte{8};
  auto changes = memory_->captureChanges(ranges, **before, kChunk);
  ASSERT_TRUE(changes) << changes.error().message();
  EXPECT_THAT(changes->chunks, ElementsAre(ElementsAre(2, 5), IsEmpty()));

  std::vector<std::byte> got(kChunk + 95);
  ASSERT_TRUE(changes->bytes->read(0, 0, got));
  EXPECT_EQ(got.front(), std::byte{9});
  EXPECT_EQ(got[1], std::byte{1});
  EXPECT_EQ(got.back(), std::byte{8});
  EXPECT_FALSE(changes->bytes->read(0, 1, got));

  std::vector<std::byte> old(ranges[0].size);
  ASSERT_TRUE((*before)->read(0, 0, old));
  EXPECT_EQ(old, std::vector<std::byte>(old.size(), std::byte{1}));
}

TEST_F(SnapshotTest, ConstantsAreNotCompared) {
  std::vector<std::byte> constant(100, std::byte{1});
  const std::vector<MemoryRange> ranges{rangeOf(constant, 0, MemoryKind::Constant)};
  auto before = memory_->capture(ranges);
  ASSERT_TRUE(before);
  constant[0] = std::byte{2};
  EXPECT_THAT(memory_->captureChanges(ranges, **before, kChunk)->chunks, ElementsAre(IsEmpty()));
}

TEST_F(SnapshotTest, GoesToTheHostWhereTheDeviceIsFull) {
  cuda::fake().freeBytes = 1 << 20;
  std::vector<std::byte> bytes(2 * kChunk + 7, std::byte{1});
  const std::vector<MemoryRange> ranges{rangeOf(bytes)};
  auto before = memory_->capture(ranges);
  ASSERT_TRUE(before) << before.error().message();
  EXPECT_NE((*before)->view(0), nullptr);
  bytes.back() = std::byte{3};
  auto changes = memory_->captureChanges(ranges, **before, kChunk);
  ASSERT_TRUE(changes) << changes.error().message();
  EXPECT_THAT(changes->chunks, ElementsAre(ElementsAre(2)));
  std::vector<std::byte> got(7);
  ASSERT_TRUE(changes->bytes->read(0, 0, got));
  EXPECT_EQ(got.back(), std::byte{3});
}

TEST_F(SnapshotTest, AKernelThatDoesNotEndIsGivenUp) {
  cuda::fake().busy = true;
  std::vector<std::byte> bytes(100);
  const auto begin = Clock::now();
  const auto before = memory_->capture(std::vector{rangeOf(bytes)});
  ASSERT_FALSE(before);
  EXPECT_EQ(before.error().code(), ErrorCode::Unavailable);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
  cuda::fake().busy = false;
}

TEST_F(SnapshotTest, PointersAreFoundOnTheDevice) {
  std::vector<std::byte> bytes(2 << 20), small(100);
  const std::vector<MemoryRange> live{{0x10000, 0x1000, MemoryKind::Device, {}},
                                      {0x20000, 0x1000, MemoryKind::Device, {}},
                                      {0x30000, 0x1000, MemoryKind::Device, {}}};
  const uint64_t inside = 0x20fff, outside = 0x31000;
  std::memcpy(bytes.data() + 4096, &inside, 8);
  std::memcpy(bytes.data() + 8192, &outside, 8);
  auto scratch = memory_->capture(std::vector{rangeOf(bytes), rangeOf(small)});
  ASSERT_TRUE(scratch);
  const auto reached = (*scratch)->reached(0, live);
  ASSERT_TRUE(reached);
  EXPECT_THAT(*reached, ElementsAre(1));
  EXPECT_FALSE((*scratch)->reached(1, live));  // small ranges are read back
  EXPECT_FALSE((*scratch)->reached(0, {}));
}

TEST_F(SnapshotTest, ScratchIsGivenBack) {
  std::vector<std::byte> bytes(100);
  {
    auto before = memory_->capture(std::vector{rangeOf(bytes)});
    ASSERT_TRUE(before);
    EXPECT_GT(DeviceBlock::heldBytes(0), 0u);
  }
  EXPECT_EQ(DeviceBlock::heldBytes(0), 0u);
  EXPECT_THAT(cuda::fake().mapped, IsEmpty());
}

TEST_F(SnapshotTest, TimesTheLaunchInTheProgram) {
  EXPECT_EQ(memory_->lastKernelNanoseconds(), std::nullopt);
  memory_->launchBegins();
  EXPECT_EQ(memory_->lastKernelNanoseconds(), std::nullopt);
  memory_->launchEnds();
  EXPECT_EQ(memory_->lastKernelNanoseconds(), 500000u);
  memory_->launchBegins();
  EXPECT_EQ(memory_->lastKernelNanoseconds(), std::nullopt) << "the time of an earlier launch";
}

}  // namespace
}  // namespace mneme::preload
