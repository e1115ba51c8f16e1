// SPDX-License-Identifier: Apache-2.0
/// Derived spaces: enough points, the recorded launch among them, no invalid launch.
#include "tune/default_space.h"

#include <gtest/gtest.h>

#include "tune/candidate.h"

namespace mneme::tune {
namespace {

LaunchShape shapeOf(Dim3 grid, Dim3 block) {
  LaunchShape shape;
  shape.grid = grid, shape.block = block;
  return shape;
}

TEST(DefaultSpace, HasEnoughPointsAndStartsAtTheRecordedLaunch) {
  for (const auto& shape : {shapeOf({64, 1, 1}, {256, 1, 1}), shapeOf({16, 16, 1}, {16, 16, 1}), shapeOf({10, 7, 3}, {33, 5, 2}),
                            shapeOf({1, 1, 1}, {1024, 1, 1}), shapeOf({1 << 20, 1, 1}, {96, 1, 1})}) {
    for (bool generated : {false, true}) {
      auto space = parseSpace(defaultSpaceText(shape, generated, 1024), "derived", recordedValues(shape, {}, {}));
      ASSERT_TRUE(space) << space.error().message();
      const auto domain = space->domain();
      EXPECT_TRUE(!domain.isListed() || domain.points().size() >= 20u);
      auto defaults = domain.defaults();
      ASSERT_TRUE(defaults);
      EXPECT_EQ(space->shapeOf(*defaults, shape)->grid, shape.grid);
      EXPECT_EQ(space->shapeOf(*defaults, shape)->block, shape.block);
      Random random(1);
      for (int i = 0; i < 200; ++i) {
        auto candidate = candidateOf(*space, *domain.random(random), shape);
        ASSERT_TRUE(candidate) << candidate.error().message();
        EXPECT_GE(candidate->shape.grid.x * candidate->shape.block.x, shape.grid.x * shape.block.x);
      }
    }
  }
}

TEST(DefaultSpace, ASmallLaunchHasOnlyItsOwnShapes) {
  const auto shape = shapeOf({1, 1, 1}, {1, 1, 1});
  auto space = parseSpace(defaultSpaceText(shape, false, 1024), "derived", recordedValues(shape, {}, {}));
  ASSERT_TRUE(space) << space.error().message();
  EXPECT_GE(space->domain().points().size(), 1u);
}

}  // namespace
}  // namespace mneme::tune
