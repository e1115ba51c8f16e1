// SPDX-License-Identifier: Apache-2.0
/// Valid points: listed, drawn, neighbours; large spaces are not walked.
#include "tune/domain.h"

#include <gmock/gmock.h>

namespace mneme::tune {
namespace {

Parameter numbers(const std::string& name, int64_t count) {
  Parameter parameter{name, {}, 0};
  for (int64_t i = 0; i < count; ++i) parameter.values.emplace_back(i);
  return parameter;
}

/// a < b
Domain ordered(int64_t count) {
  return Domain({numbers("a", count), numbers("b", count)}, [](const Point& p, size_t assigned) { return assigned < 2 || p[0] < p[1]; });
}

TEST(Domain, ListsExactlyTheValidPoints) {
  const auto domain = ordered(4);
  ASSERT_TRUE(domain.isListed());
  EXPECT_THAT(domain.points(), testing::ElementsAre(Point{0, 1}, Point{0, 2}, Point{0, 3}, Point{1, 2}, Point{1, 3}, Point{2, 3}));
  EXPECT_TRUE(domain.contains({0, 3}));
  EXPECT_FALSE(domain.contains({3, 0}));
}

TEST(Domain, WithoutAValidPointThereIsNothingToDraw) {
  const Domain domain({numbers("a", 3)}, [](const Point&, size_t) { return false; });
  Random random(1);
  EXPECT_TRUE(domain.isListed());
  EXPECT_FALSE(domain.random(random));
}

TEST(Domain, NeighboursAreValid) {
  const auto domain = ordered(5);
  EXPECT_THAT(domain.adjacent({1, 2}), testing::UnorderedElementsAre(Point{0, 2}, Point{1, 3}));
  EXPECT_THAT(domain.oneChanged({1, 3}), testing::UnorderedElementsAre(Point{0, 3}, Point{2, 3}, Point{1, 2}, Point{1, 4}));
}

TEST(Domain, RepairedPointsAreValid) {
  const auto domain = ordered(6);
  Random random(1);
  for (uint16_t a = 0; a < 6; ++a) EXPECT_TRUE(domain.contains(*domain.repaired({a, 0}, random)));
  EXPECT_EQ(domain.repaired({2, 4}, random), (Point{2, 4}));
}

TEST(Domain, OfTenToTheTwelveCombinationsOnlyWhatIsAskedForIsLookedAt) {
  size_t calls = 0;
  std::vector<Parameter> parameters;
  for (int i = 0; i < 6; ++i) parameters.push_back(numbers("p" + std::to_string(i), 100));
  const Domain domain(parameters, [&](const Point& p, size_t assigned) { return ++calls, assigned < 2 || p[0] + p[1] == 42; });
  EXPECT_FALSE(domain.isListed());
  EXPECT_EQ(domain.combinations(), 1e12);
  EXPECT_LT(calls, 10'000'000u);
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    auto point = domain.random(random);
    ASSERT_TRUE(point);
    EXPECT_EQ((*point)[0] + (*point)[1], 42);
    for (const auto& near : domain.oneChanged(*point)) EXPECT_TRUE(domain.contains(near));
  }
}

TEST(Domain, ImpossiblePrefixesAreCutOff) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 6; ++i) parameters.push_back(numbers("p" + std::to_string(i), 100));
  // Of 10^12 combinations the 100 with all values alike.
  const Domain domain(parameters, [](const Point& p, size_t assigned) { return assigned < 2 || p[assigned - 1] == p[assigned - 2]; });
  EXPECT_TRUE(domain.isListed());
  EXPECT_EQ(domain.points().size(), 100u);
}

TEST(Enumerator, StopsAfterItsStepsAndGoesOn) {
  const Rule rule = [](const Point& p, size_t assigned) { return assigned < 2 || p[0] < p[1]; };
  Enumerator all({3, 3}, rule);
  std::vector<Point> points;
  while (!all.exhausted())
    if (auto point = all.next(1)) points.push_back(*point);
  EXPECT_THAT(points, testing::ElementsAre(Point{0, 1}, Point{0, 2}, Point{1, 2}));
}

TEST(Parameter, NumbersAreSortedAndTheDefaultStays) {
  Parameter parameter{"p", {Value(int64_t{8}), Value(int64_t{2}), Value(4.5)}, 0};
  sortValues(parameter);
  EXPECT_EQ(text(parameter.values[0]), "2");
  EXPECT_EQ(text(parameter.values[parameter.defaultIndex]), "8");
  Parameter words{"w", {Value(std::string("z")), Value(std::string("a"))}, 0};
  sortValues(words);
  EXPECT_EQ(text(words.values[0]), "z");
}

}  // namespace
}  // namespace mneme::tune
