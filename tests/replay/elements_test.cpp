// SPDX-License-Identifier: Apache-2.0
#include "replay/elements.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace mneme::replay {
namespace {

template <typename T>
const std::byte* raw(const T& value) {
  return reinterpret_cast<const std::byte*>(&value);
}

TEST(Elements, DistanceOfNeighboursIsOneUlp) {
  float a = 1.0f, b = std::nextafter(1.0f, 2.0f);
  auto apart = distance(ElementType::F32, raw(a), raw(b));
  EXPECT_EQ(apart.ulp, 1u);
  EXPECT_DOUBLE_EQ(apart.absolute, static_cast<double>(b) - 1.0);
}

TEST(Elements, UlpCountsAcrossZero) {
  double least = std::numeric_limits<double>::denorm_min(), minus = -least;
  EXPECT_EQ(distance(ElementType::F64, raw(minus), raw(least)).ulp, 2u);
}

TEST(Elements, HalfAndBfloatHaveTheirValues) {
  uint16_t one = 0x3c00, two = 0x4000, tiny = 0x0001, bfloatThree = 0x4040;
  EXPECT_EQ(elementText(ElementType::F16, raw(one)), "1");
  EXPECT_EQ(distance(ElementType::F16, raw(one), raw(two)).absolute, 1);
  EXPECT_EQ(distance(ElementType::F16, raw(tiny), raw(tiny)).absolute, 0);
  EXPECT_EQ(elementText(ElementType::BF16, raw(bfloatThree)), "3");
}

TEST(Elements, NaNEqualsNaNOnly) {
  float nan = std::nanf("1"), other = std::nanf("2"), one = 1;
  EXPECT_TRUE(allowed(ElementType::F32, raw(nan), raw(other), {}));
  EXPECT_FALSE(allowed(ElementType::F32, raw(nan), raw(one), {1e30, 1e30, ~0ull}));
  EXPECT_FALSE(allowed(ElementType::F32, raw(one), raw(nan), {1e30, 1e30, ~0ull}));
}

TEST(Elements, InfinityIsNeverNear) {
  float inf = INFINITY, big = std::numeric_limits<float>::max();
  EXPECT_FALSE(allowed(ElementType::F32, raw(big), raw(inf), {0, 1, 10}));
}

TEST(Elements, AnyOfTheLimitsSuffices) {
  float expected = 100, got = 100.5f;
  EXPECT_FALSE(allowed(ElementType::F32, raw(expected), raw(got), {}));
  EXPECT_TRUE(allowed(ElementType::F32, raw(expected), raw(got), {0.5, 0, 0}));
  EXPECT_TRUE(allowed(ElementType::F32, raw(expected), raw(got), {0, 0.005, 0}));
  EXPECT_FALSE(allowed(ElementType::F32, raw(expected), raw(got), {0, 0.004, 0}));
  EXPECT_TRUE(allowed(ElementType::F32, raw(expected), raw(got), {0, 0, 65536}));
}

TEST(Elements, UntypedBytesHaveNoTolerance) {
  uint8_t a = 1, b = 2;
  EXPECT_FALSE(allowed(ElementType::Bytes, raw(a), raw(b), {10, 10, 10}));
  EXPECT_TRUE(allowed(ElementType::I8, raw(a), raw(b), {1, 0, 0}));
}

TEST(Elements, IntegersDoNotOverflow) {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(distance(ElementType::I64, raw(low), raw(high)).ulp, ~0ull);
}

TEST(Elements, GuessesFloatsOnlyWhereBothLookLikeIt) {
  float a = 1.5f, b = -20;
  int c = 3;
  auto bytes = [](const auto& value) { return std::as_bytes(std::span(&value, 1)); };
  EXPECT_EQ(likelyType(bytes(a), bytes(b)), ElementType::F32);
  EXPECT_EQ(likelyType(bytes(a), bytes(c)), ElementType::I32);
}

}  // namespace
}  // namespace mneme::replay
