// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "backend/cuda/address_space.h"
#include "backend/cuda/staging.h"
#include "fake_driver.h"

namespace mneme::cuda {
namespace {

using testing::ElementsAre;

constexpr uint64_t kBase = 0x200000000000;

TEST(AddressSpace, ReservesOnceAndMapsByKind) {
  const Api api = makeFakeApi();
  {
    AddressSpace space(api, 0);
    const std::vector<MemoryRange> ranges{{kBase + 256, 100, MemoryKind::Device, {}},
                                          {kBase + 5 * kPage, 100, MemoryKind::Pinned, {}}};
    ASSERT_TRUE(space.reserve(ranges));
    EXPECT_THAT(fake().reserved, ElementsAre(testing::Pair(kBase, kGranule)));
    ASSERT_TRUE(space.map(ranges));
    EXPECT_THAT(fake().calls, ElementsAre("reserve", "create device", "create host"));
  }
  EXPECT_TRUE(fake().reserved.empty());
  EXPECT_TRUE(fake().mapped.empty());
}

TEST(AddressSpace, AnAddressThatIsTakenLeavesNothingBehind) {
  const Api api = makeFakeApi();
  fake().refuseReservationAt = kBase + 4 * kGranule;
  AddressSpace space(api, 0);
  const std::vector<MemoryRange> ranges{{kBase, 100, MemoryKind::Device, {}},
                                        {kBase + 4 * kGranule, 100, MemoryKind::Device, {}}};
  const auto reserved = space.reserve(ranges);
  ASSERT_FALSE(reserved);
  EXPECT_EQ(reserved.error().code(), ErrorCode::Unavailable);
  EXPECT_TRUE(fake().reserved.empty());
}

TEST(AddressSpace, BytesAreReservedOnceThoughPagesMayBeShared) {
  const Api api = makeFakeApi();
  AddressSpace space(api, 0);
  const std::vector<MemoryRange> ranges{{kBase, 1000, MemoryKind::Device, {}},
                                        {kBase + 1024, 5 * kPage, MemoryKind::Device, {}},
                                        {kBase + 1000, 24, MemoryKind::Device, {}},
                                        {kBase + 5 * kPage, 2000, MemoryKind::Device, {}}};
  ASSERT_TRUE(space.reserve(std::span(ranges).first(2)));
  for (const size_t again : {0, 1, 3}) EXPECT_FALSE(space.reserve(std::span(ranges).subspan(again, 1))) << again;
  EXPECT_TRUE(space.reserve(std::span(ranges).subspan(2, 1)));
  space.unreserveLast();
  EXPECT_TRUE(space.reserve(std::span(ranges).subspan(2, 1)));
}

TEST(AddressSpace, MemoryThatCannotBeHadIsAnError) {
  const Api api = makeFakeApi();
  fake().createResult = CUDA_ERROR_OUT_OF_MEMORY;
  AddressSpace space(api, 0);
  const std::vector<MemoryRange> ranges{{kBase, 100, MemoryKind::Device, {}}};
  ASSERT_TRUE(space.reserve(ranges));
  EXPECT_FALSE(space.map(ranges));
  EXPECT_TRUE(fake().mapped.empty());
}

class StagingTest : public testing::Test {
 protected:
  StagingTest() : api_(makeFakeApi()), staging_(api_), device_(40 << 20) {}
  uint64_t address() const { return reinterpret_cast<uint64_t>(device_.data()); }
  static std::vector<std::byte> pattern(size_t size) {
    std::vector<std::byte> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
    return bytes;
  }

  const Api api_;
  Staging staging_;
  std::vector<std::byte> device_;
};

/// Two variables that lie side by side are two allocations to the driver, which refuses a copy into both.
TEST_F(StagingTest, NeighbouringWritesAreNotJoined) {
  const auto bytes = pattern(256);
  ASSERT_TRUE(staging_.write(address(), std::span(bytes).first(128)));
  ASSERT_TRUE(staging_.write(address() + 128, std::span(bytes).subspan(128)));
  ASSERT_TRUE(staging_.settle());
  EXPECT_EQ(fake().copies.size(), 2u);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), device_.begin()));
}

TEST_F(StagingTest, LargeAndScatteredWritesArrive) {
  const auto bytes = pattern(30 << 20);
  ASSERT_TRUE(staging_.write(address() + 3, std::span(bytes)));
  ASSERT_TRUE(staging_.write(address() + (35 << 20), std::span(bytes).first(100)));
  ASSERT_TRUE(staging_.settle());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), device_.begin() + 3));
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + 100, device_.begin() + (35 << 20)));
}

TEST_F(StagingTest, ReadsSeeWhatWasWrittenBefore) {
  const auto bytes = pattern(1000);
  std::vector<std::byte> got(1000);
  ASSERT_TRUE(staging_.read(address(), got));
  ASSERT_TRUE(staging_.write(address(), std::span(bytes)));
  ASSERT_TRUE(staging_.read(address(), got));
  EXPECT_EQ(got, bytes);
}

TEST_F(StagingTest, ManyThreadsCopyAtOnce) {
  constexpr size_t kThreads = 8, kPiece = 3 << 20;
  const auto bytes = pattern(kThreads * kPiece);
  std::vector<std::byte> got(bytes.size());
  const auto onThreads = [&](const auto& work) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { work(i * kPiece); });
    for (auto& thread : threads) thread.join();
  };
  onThreads([&](size_t at) { EXPECT_TRUE(staging_.write(address() + at, std::span(bytes).subspan(at, kPiece))); });
  ASSERT_TRUE(staging_.settle());
  onThreads([&](size_t at) { EXPECT_TRUE(staging_.read(address() + at, std::span(got).subspan(at, kPiece))); });
  EXPECT_EQ(got, bytes);
}

TEST_F(StagingTest, LargeReadsComeWhole) {
  device_ = pattern(device_.size());
  std::vector<std::byte> got((33 << 20) + 5);
  ASSERT_TRUE(staging_.read(address() + 1, got));
  EXPECT_TRUE(std::equal(got.begin(), got.end(), device_.begin() + 1));
}

}  // namespace
}  // namespace mneme::cuda
