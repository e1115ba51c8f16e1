// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

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
    EXPECT_EQ(space.holding(kBase + 1000), (Interval{kBase, kBase + kPage}));
    EXPECT_EQ(space.holding(kBase + kPage).size(), 0u);
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
  StagingTest() : api_(makeFakeApi()), staging_(api_, nullptr), device_(40 << 20) { EXPECT_TRUE(staging_.prepare()); }
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

TEST_F(StagingTest, NeighbouringWritesAreOneCopy) {
  const auto bytes = pattern(1 << 20);
  for (size_t at = 0; at < bytes.size(); at += 65536)
    ASSERT_TRUE(staging_.write(address() + at, std::span(bytes).subspan(at, 65536)));
  ASSERT_TRUE(staging_.flush());
  EXPECT_EQ(fake().copies.size(), 1u);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), device_.begin()));
}

TEST_F(StagingTest, LargeAndScatteredWritesArrive) {
  const auto bytes = pattern(30 << 20);
  ASSERT_TRUE(staging_.write(address() + 3, std::span(bytes)));
  ASSERT_TRUE(staging_.write(address() + (35 << 20), std::span(bytes).first(100)));
  ASSERT_TRUE(staging_.flush());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), device_.begin() + 3));
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + 100, device_.begin() + (35 << 20)));
}

TEST_F(StagingTest, ReadsSeeWhatWasWrittenBefore) {
  const auto bytes = pattern(1000);
  std::vector<std::byte> got(1000);
  ASSERT_TRUE(staging_.read(address(), got, device_.size()));
  ASSERT_TRUE(staging_.write(address(), std::span(bytes)));
  ASSERT_TRUE(staging_.read(address(), got, device_.size()));
  EXPECT_EQ(got, bytes);
}

TEST_F(StagingTest, SmallReadsAreServedFromAWindow) {
  device_ = pattern(device_.size());
  std::vector<std::byte> got(65536);
  for (size_t at = 0; at < (4 << 20); at += got.size()) {
    ASSERT_TRUE(staging_.read(address() + at, got, device_.size() - at));
    EXPECT_TRUE(std::equal(got.begin(), got.end(), device_.begin() + at));
  }
  EXPECT_EQ(fake().copies.size(), 1u);
}

TEST_F(StagingTest, LargeReadsComeWhole) {
  device_ = pattern(device_.size());
  std::vector<std::byte> got((33 << 20) + 5);
  ASSERT_TRUE(staging_.read(address() + 1, got, device_.size() - 1));
  EXPECT_TRUE(std::equal(got.begin(), got.end(), device_.begin() + 1));
}

}  // namespace
}  // namespace mneme::cuda
