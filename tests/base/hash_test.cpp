// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

namespace mneme {
namespace {

TEST(Hash128, HexIsXxhsumsOwnSpelling) {  // printf '' | xxh128sum
  EXPECT_EQ(toHex(hash128(std::string_view(""))), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash128, HexRoundTrips) {
  auto hash = hash128(std::string_view("mneme"));
  EXPECT_EQ(hashFromHex(toHex(hash)), hash);
}

TEST(Hash128, RefusesWhatIsNotHex) {
  EXPECT_FALSE(hashFromHex("99aa"));
  EXPECT_FALSE(hashFromHex(std::string(32, 'g')));
  EXPECT_FALSE(hashFromHex(std::string(32, 'A')));
}

}  // namespace
}  // namespace mneme
