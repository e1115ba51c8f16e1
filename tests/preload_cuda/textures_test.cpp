// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/textures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace mneme::preload {
namespace {

using cubin::Sampling;

/// Two plain arguments and a structure whose second word is at offset 24.
const std::vector<ParameterSlot> kSlots{{0, 8}, {8, 4}, {16, 16}};

std::vector<std::byte> argumentsWith(size_t offset, uint64_t word) {
  std::vector<std::byte> bytes(32, std::byte{0xee});
  std::memcpy(bytes.data() + offset, &word, sizeof word);
  return bytes;
}

TEST(Textures, CodeThatSamplesNothingIsRecordedWhateverItsArguments) {
  Textures textures;
  textures.created(3, Textures::Kind::Texture);
  EXPECT_FALSE(textures.refusal(Sampling::None, kSlots, argumentsWith(0, 3)));
}

TEST(Textures, TheArgumentIsNamed) {
  Textures textures;
  textures.created(3, Textures::Kind::Texture);
  textures.created(4, Textures::Kind::Surface);
  EXPECT_EQ(textures.refusal(Sampling::Objects, kSlots, argumentsWith(0, 3)),
            "its argument 0 is a texture object (textures are not recorded yet)");
  EXPECT_EQ(textures.refusal(Sampling::Objects, kSlots, argumentsWith(24, 4)),
            "its argument 2 is a surface object (surfaces are not recorded yet)");
}

TEST(Textures, HandlesThatCannotBeSeenAreRefusedByTheCode) {
  const auto refused = Textures().refusal(Sampling::Objects, kSlots, argumentsWith(0, 3));
  ASSERT_TRUE(refused);
  EXPECT_THAT(*refused, testing::HasSubstr("uses a texture or surface object"));
  EXPECT_THAT(*Textures().refusal(Sampling::References, {}, {}), testing::HasSubstr("texture reference"));
}

TEST(Textures, UnknownCodeIsJudgedByItsArguments) {
  Textures textures;
  textures.created(3, Textures::Kind::Texture);
  textures.created(3, Textures::Kind::Texture);  // of another context
  EXPECT_TRUE(textures.refusal(Sampling::Unknown, kSlots, argumentsWith(16, 3)));
  EXPECT_FALSE(textures.refusal(Sampling::Unknown, kSlots, argumentsWith(20, 3)));  // not where a handle can be
  EXPECT_FALSE(textures.refusal(Sampling::Unknown, kSlots, argumentsWith(0, 2)));
  textures.destroyed(3, Textures::Kind::Surface);
  textures.destroyed(3, Textures::Kind::Texture);
  EXPECT_TRUE(textures.refusal(Sampling::Unknown, kSlots, argumentsWith(16, 3)));
  textures.destroyed(3, Textures::Kind::Texture);
  EXPECT_FALSE(textures.refusal(Sampling::Unknown, kSlots, argumentsWith(16, 3)));
}

TEST(Textures, ShortArgumentsAreSurvived) {
  Textures textures;
  textures.created(3, Textures::Kind::Texture);
  EXPECT_FALSE(textures.refusal(Sampling::Unknown, kSlots, {}));
}

}  // namespace
}  // namespace mneme::preload
