// SPDX-License-Identifier: Apache-2.0
#include "replay/compare.h"

#include <gtest/gtest.h>
#include <thread>

#include "fakes.h"

namespace mneme::replay {
namespace {

using test::bytesOf;

TEST(Comparer, EqualChunksPass) {
  Comparer comparer({{ElementType::F32, {}}});
  auto data = bytesOf<float>({1, 2, 3});
  comparer.compare(0, 0, data, data);
  comparer.addEqual(100);
  auto result = comparer.result();
  EXPECT_TRUE(result.passed());
  EXPECT_TRUE(result.identical());
  EXPECT_EQ(result.bytes, 112u);
}

TEST(Comparer, ReportsRegionOffsetElementAndWorst) {
  Comparer comparer({{ElementType::Bytes, {}}, {ElementType::F32, {}}});
  comparer.compare(1, 65536, bytesOf<float>({1, 2, 3, 4}), bytesOf<float>({1, 2.5, 3, 8}));
  auto result = comparer.result();
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.regions[0].wrong, 0u);
  const auto& region = result.regions[1];
  EXPECT_EQ(region.wrong, 2u);
  ASSERT_TRUE(region.first);
  EXPECT_EQ(region.first->offset, 65540u);
  EXPECT_EQ(region.first->index, 16385u);
  EXPECT_EQ(region.first->expected, "2");
  EXPECT_EQ(region.first->got, "2.5");
  EXPECT_EQ(region.worst.absolute, 4);
  EXPECT_EQ(region.worst.relative, 1);
}

TEST(Comparer, WithinToleranceIsNotIdentical) {
  Comparer comparer({{ElementType::F64, {0, 1e-6, 0}}});
  comparer.compare(0, 0, bytesOf<double>({1}), bytesOf<double>({1 + 1e-9}));
  auto result = comparer.result();
  EXPECT_TRUE(result.passed());
  EXPECT_FALSE(result.identical());
  EXPECT_EQ(result.regions[0].inexact, 1u);
}

TEST(Comparer, ATailShorterThanAnElementIsComparedAsBytes) {
  Comparer comparer({{ElementType::F64, {1e9, 1e9, ~0ull}}});
  auto expected = bytesOf<double>({1}), got = expected;
  expected.push_back(std::byte{1});
  got.push_back(std::byte{2});
  comparer.compare(0, 0, expected, got);
  EXPECT_EQ(comparer.result().regions[0].wrong, 1u);
}

TEST(Comparer, UntypedBytesAreShownAsTheAlignedWord) {
  Comparer comparer({{ElementType::Bytes, {}}});
  comparer.compare(0, 0, bytesOf<float>({1, 2}), bytesOf<float>({1, 3}));
  auto result = comparer.result();
  const auto& first = *result.regions[0].first;
  EXPECT_EQ(first.shownAs, ElementType::F32);
  EXPECT_EQ(first.offset, 4u);
  EXPECT_EQ(first.expected, "2");
  EXPECT_EQ(first.got, "3");
}

TEST(Comparer, TheFirstMismatchIsTheLowestFromAnyThread) {
  Comparer comparer({{ElementType::I32, {}}});
  auto expected = bytesOf<int>({0}), got = bytesOf<int>({1});
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] { comparer.compare(0, (8 - i) * 65536, expected, got); });
  for (auto& thread : threads) thread.join();
  auto result = comparer.result();
  EXPECT_EQ(result.regions[0].wrong, 8u);
  EXPECT_EQ(result.regions[0].first->offset, 65536u);
}

}  // namespace
}  // namespace mneme::replay
