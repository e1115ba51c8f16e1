// SPDX-License-Identifier: Apache-2.0
/// Which launches are recorded, and the ordinals they get.
#include "record/selection.h"

#include <gtest/gtest.h>

#include "fakes.h"

namespace mneme::record::test {
namespace {

Selector selectorFor(const Options& options) {
  return Selector(options, [](ModuleId module) { return hash128(std::to_string(module)); });
}

/// Ordinals of the launches chosen out of `count` equal ones.
std::vector<uint64_t> chosen(Selector& selector, const LaunchInfo& info, int count) {
  std::vector<uint64_t> ordinals;
  for (int i = 0; i < count; ++i)
    if (const Choice choice = selector.choose(info); choice.kernel) ordinals.push_back(choice.ordinal);
  return ordinals;
}

using Ordinals = std::vector<uint64_t>;

TEST(Selector, TheFirstLaunchOfEveryKernelOnce) {
  Selector selector = selectorFor({});
  const Arguments arguments;
  EXPECT_EQ(chosen(selector, arguments.launch("a"), 5), Ordinals{0});
  EXPECT_EQ(chosen(selector, arguments.launch("b"), 5), Ordinals{0});
}

TEST(Selector, SkipAndMaxCountByKernel) {
  Options options;
  options.skip = 2;
  options.max = 3;
  Selector selector = selectorFor(options);
  const Arguments arguments;
  EXPECT_EQ(chosen(selector, arguments.launch("a"), 10), (Ordinals{2, 3, 4}));
  EXPECT_EQ(chosen(selector, arguments.launch("b"), 10), (Ordinals{2, 3, 4}));
}

TEST(Selector, OrdinalsCountLaunchesOfAShape) {
  Options options;
  options.max = 0;
  Selector selector = selectorFor(options);
  const Arguments arguments;
  EXPECT_EQ(chosen(selector, arguments.launch("a", {1, 1, 1}), 2), (Ordinals{0, 1}));
  EXPECT_EQ(chosen(selector, arguments.launch("a", {2, 1, 1}), 2), (Ordinals{0, 1}));
  EXPECT_EQ(chosen(selector, arguments.launch("a", {1, 1, 1}), 1), Ordinals{2});
}

TEST(Selector, EveryPartOfTheShapeCounts) {
  Options options;
  options.max = 0;
  Selector selector = selectorFor(options);
  const Arguments arguments;
  std::vector<LaunchInfo> launches(8, arguments.launch("a"));
  launches[1].shape.grid.y = 2;
  launches[2].shape.grid.z = 2;
  launches[3].shape.block.x = 2;
  launches[4].shape.block.z = 2;
  launches[5].shape.dynamicSharedBytes = 2;
  launches[6].shape.cooperative = true;
  launches[7].shape.cluster.x = 2;
  for (const LaunchInfo& info : launches) EXPECT_EQ(chosen(selector, info, 1), Ordinals{0});
}

TEST(Selector, DistinctTakesOneOfEachShapeAndArguments) {
  Options options;
  options.max = 0;
  options.distinct = true;
  Selector selector = selectorFor(options);
  Arguments one, two;
  one.add(1);
  two.add(2);
  EXPECT_EQ(chosen(selector, one.launch("a"), 3), Ordinals{0});
  EXPECT_EQ(chosen(selector, two.launch("a"), 3), Ordinals{3});
  EXPECT_EQ(chosen(selector, one.launch("a", {9, 1, 1}), 3), Ordinals{0});
  EXPECT_EQ(chosen(selector, one.launch("a"), 3), Ordinals{});
}

TEST(Selector, ThePatternMatchesEitherName) {
  Options options;
  options.kernels = *Pattern::compile("^_Z4step|relax\\(int\\)");
  Selector selector = selectorFor(options);
  const Arguments arguments;
  EXPECT_EQ(chosen(selector, arguments.launch("_Z4stepf"), 1), Ordinals{0});
  EXPECT_EQ(chosen(selector, arguments.launch("_Z5relaxi"), 1), Ordinals{0});
  EXPECT_EQ(chosen(selector, arguments.launch("_Z5relaxf"), 1), Ordinals{});
}

TEST(Selector, CommunicationLibrariesAreSkippedUnlessNamed) {
  const Arguments arguments;
  Selector selector = selectorFor({});
  EXPECT_EQ(chosen(selector, arguments.launch("ncclDevKernel_AllReduce_Sum_f32"), 1), Ordinals{});
  EXPECT_EQ(chosen(selector, arguments.launch("_Z20nvshmem_barrier_kerni"), 1), Ordinals{});
  EXPECT_EQ(chosen(selector, arguments.launch("_Z4takeP8ncclInfo"), 1), Ordinals{0});
  EXPECT_EQ(chosen(selector, arguments.launch("synccl"), 1), Ordinals{0});

  Options options;
  options.kernels = *Pattern::compile("ncclDevKernel");
  Selector named = selectorFor(options);
  EXPECT_EQ(chosen(named, arguments.launch("ncclDevKernel_AllReduce_Sum_f32"), 1), Ordinals{0});
}

TEST(Selector, ModulesWithEqualCodeAreOneKernel) {
  Selector selector({}, [](ModuleId module) { return hash128(module < 3 ? "same" : "other"); });
  const Arguments arguments;
  LaunchInfo info = arguments.launch("a");
  EXPECT_EQ(chosen(selector, info, 2), Ordinals{0});
  info.module = 2;
  EXPECT_EQ(chosen(selector, info, 2), Ordinals{});
  info.module = 3;
  EXPECT_EQ(chosen(selector, info, 2), Ordinals{4}) << "the ordinal counts launches of the name, whatever its code";
}

TEST(Selector, AGivenBackLaunchIsTriedAgainAFewTimes) {
  Selector selector = selectorFor({});
  const Arguments arguments;
  Ordinals tried;
  for (int i = 0; i < 20; ++i)
    if (const Choice choice = selector.choose(arguments.launch("a")); choice.kernel) {
      tried.push_back(choice.ordinal);
      selector.giveBack(choice);
    }
  EXPECT_EQ(tried, (Ordinals{0, 1, 2, 3}));
}

TEST(Selector, ManyKernelsKeepTheirCounts) {
  Selector selector = selectorFor({});
  const Arguments arguments;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 40000; ++i) {
      const std::string name = "kernel" + std::to_string(i);
      ASSERT_EQ(selector.choose(arguments.launch(name)).kernel != nullptr, round == 0) << name;
    }
}

}  // namespace
}  // namespace mneme::record::test
