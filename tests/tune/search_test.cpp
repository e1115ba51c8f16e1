// SPDX-License-Identifier: Apache-2.0
/// Ask and tell: what is known is not asked again, batches may be out at once, a search that ran dry goes on at random.
#include "tune/search.h"

#include <gmock/gmock.h>

namespace mneme::tune {
namespace {

Domain line(int64_t count) {
  Parameter parameter{"x", {}, 0};
  for (int64_t i = 0; i < count; ++i) parameter.values.emplace_back(i);
  return Domain({parameter}, [](const Point&, size_t) { return true; });
}

// Lists of points are made outside of co_yield: g++ 12 cannot compile them inside.
Search twoThenSum(std::vector<double>& seen) {
  const Point three(1, 3);
  seen.push_back(co_yield three);
  const std::vector<Point> four{{1}, {3}, {1}, {2}};
  const auto times = co_yield Batch(four);
  seen.insert(seen.end(), times.begin(), times.end());
}

TEST(AskTell, AnswersWhatIsKnownFromMemory) {
  const auto domain = line(5);
  std::vector<double> seen;
  AskTell search(domain, twoThenSum(seen), 1);
  auto first = search.ask();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->point, Point{3});
  EXPECT_FALSE(search.ask()) << "the strategy waits for its answer";
  search.tell(*first, 30);
  auto one = search.ask(), two = search.ask();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->point, Point{1});
  EXPECT_EQ(two->point, Point{2});
  EXPECT_FALSE(search.ask());
  search.tell(*two, 20);
  search.tell(*one, 10);
  (void)search.ask();
  EXPECT_THAT(seen, testing::ElementsAre(30, 10, 30, 10, 20));
}

Search forever(size_t& rounds) {
  const Point zero(1, 0);
  for (;; ++rounds) co_yield zero;
}

TEST(AskTell, WhereAStrategyOnlyRepeatsItselfNewPointsAreTried) {
  const auto domain = line(4);
  size_t rounds = 0;
  AskTell search(domain, forever(rounds), 1);
  std::vector<Point> asked;
  while (auto ask = search.ask()) {
    asked.push_back(ask->point);
    search.tell(*ask, 1);
  }
  EXPECT_THAT(asked, testing::UnorderedElementsAre(Point{0}, Point{1}, Point{2}, Point{3}));
  EXPECT_TRUE(search.finished());
  EXPECT_LT(rounds, 2000u);
}

Search refine(std::vector<double>& seen) {
  const std::vector<Point> both{{0}, {1}}, one{{0}};
  auto rough = co_yield Batch(both, 1);
  auto better = co_yield Batch(one, 4);
  auto full = co_yield Batch(one);
  auto again = co_yield Batch(one, 2);
  for (double time : {rough[0], rough[1], better[0], full[0], again[0]}) seen.push_back(time);
}

TEST(AskTell, MoreRepetitionsAreAskedForAgainFewerAreNot) {
  const auto domain = line(2);
  std::vector<double> seen;
  AskTell search(domain, refine(seen), 1);
  std::vector<unsigned> repetitions;
  double time = 0;
  while (auto ask = search.ask()) {
    repetitions.push_back(ask->repetitions);
    search.tell(*ask, ++time);
  }
  EXPECT_THAT(repetitions, testing::ElementsAre(1, 1, 4, 0));
  EXPECT_THAT(seen, testing::ElementsAre(1, 2, 3, 4, 4));
}

TEST(AskTell, AFailedPointIsNotTriedAgain) {
  const auto domain = line(2);
  std::vector<double> seen;
  AskTell search(domain, refine(seen), 1);
  size_t asked = 0;
  while (auto ask = search.ask()) ++asked, search.tell(*ask, kFailed);
  EXPECT_EQ(asked, 2u);
}

}  // namespace
}  // namespace mneme::tune
