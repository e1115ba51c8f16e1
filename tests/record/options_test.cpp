// SPDX-License-Identifier: Apache-2.0
/// The environment as users set it, right and wrong.
#include "record/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace mneme::record {
namespace {

using Variables = std::map<std::string, std::string>;

Expected<std::optional<Options>> parse(Variables variables) {
  variables.emplace("MNEME_RECORD", "set");
  return optionsFrom([&](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

Options parsed(Variables variables) {
  auto options = parse(std::move(variables));
  EXPECT_TRUE(options) << options.error().message();
  return options ? **options : Options{};
}

TEST(Options, NothingIsAskedWithoutADirectory) {
  EXPECT_FALSE(*parse({{"MNEME_RECORD", ""}}));
  auto unset = optionsFrom([](const char*) -> const char* { return nullptr; });
  EXPECT_FALSE(*unset);
}

TEST(Options, DefaultsRecordTheFirstLaunchOnce) {
  const Options options = parsed({});
  EXPECT_EQ(options.directory, "set");
  EXPECT_EQ(options.max, 1u);
  EXPECT_EQ(options.skip, 0u);
  EXPECT_EQ(options.reach, Reach::Reachable);
  EXPECT_EQ(options.deadline, std::chrono::milliseconds(2000));
  EXPECT_TRUE(options.rankSelected);
  EXPECT_GT(options.memoryBytes, 0u);
}

TEST(Options, ReadsEveryVariable) {
  const Options options = parsed({{"MNEME_RECORD_KERNEL", "^step"},
                                  {"MNEME_RECORD_SKIP", "3"},
                                  {"MNEME_RECORD_MAX", "7"},
                                  {"MNEME_RECORD_DISTINCT", "1"},
                                  {"MNEME_RECORD_REACH", "all"},
                                  {"MNEME_RECORD_MAX_BYTES", "2G"},
                                  {"MNEME_RECORD_APPEND", "1"},
                                  {"MNEME_RECORD_MEMORY", "64m"},
                                  {"MNEME_RECORD_DEADLINE_MS", "50"},
                                  {"MNEME_RECORD_REPORT", "events"}});
  EXPECT_TRUE(options.kernels->matches("stepper"));
  EXPECT_FALSE(options.kernels->matches("a step"));
  EXPECT_EQ(options.skip, 3u);
  EXPECT_EQ(options.max, 7u);
  EXPECT_TRUE(options.distinct);
  EXPECT_EQ(options.reach, Reach::All);
  EXPECT_EQ(options.maxBytes, uint64_t{2} << 30);
  EXPECT_TRUE(options.append);
  EXPECT_EQ(options.memoryBytes, uint64_t{64} << 20);
  EXPECT_EQ(options.deadline, std::chrono::milliseconds(50));
  EXPECT_EQ(options.report, "events");
}

TEST(Options, DistinctLiftsTheLimitUnlessOneIsGiven) {
  EXPECT_EQ(parsed({{"MNEME_RECORD_DISTINCT", "1"}}).max, 0u);
  EXPECT_EQ(parsed({{"MNEME_RECORD_DISTINCT", "1"}, {"MNEME_RECORD_MAX", "2"}}).max, 2u);
}

TEST(Options, RanksFromEveryLauncher) {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "FLUX_TASK_RANK",
                               "MPI_LOCALRANKID"}) {
    EXPECT_EQ(parsed({{variable, "5"}}).rank, 5u) << variable;
    EXPECT_FALSE(parsed({{variable, "5"}}).rankSelected) << variable;
    EXPECT_TRUE(parsed({{variable, "0"}}).rankSelected) << variable;
  }
}

TEST(Options, RankLists) {
  const auto selected = [](const char* list, const char* rank) {
    return parsed({{"MNEME_RECORD_RANKS", list}, {"PMI_RANK", rank}}).rankSelected;
  };
  EXPECT_TRUE(selected("all", "12"));
  EXPECT_TRUE(selected("0,3,8-11", "9"));
  EXPECT_TRUE(selected("0,3,8-11", "3"));
  EXPECT_FALSE(selected("0,3,8-11", "12"));
  EXPECT_FALSE(selected("1", "0"));
}

TEST(Options, ABadValueNamesItsVariable) {
  const Variables bad{{"MNEME_RECORD_KERNEL", "("},       {"MNEME_RECORD_SKIP", "-1"},
                      {"MNEME_RECORD_MAX", "many"},       {"MNEME_RECORD_DISTINCT", "maybe"},
                      {"MNEME_RECORD_REACH", "far"},      {"MNEME_RECORD_MAX_BYTES", "1X"},
                      {"MNEME_RECORD_MEMORY", "K"},       {"MNEME_RECORD_DEADLINE_MS", "1s"},
                      {"MNEME_RECORD_RANKS", "1,,2"},     {"MNEME_RECORD_APPEND", "2"},
                      {"MNEME_RECORD_MAX_BYTES", "99999999999G"}};
  for (const auto& [variable, value] : bad) {
    auto options = parse({{variable, value}});
    ASSERT_FALSE(options) << variable;
    EXPECT_EQ(options.error().code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(options.error().message(), testing::HasSubstr(variable));
  }
}

TEST(Options, BytesThatOverflowAreRefused) {
  EXPECT_FALSE(parse({{"MNEME_RECORD_MAX_BYTES", "99999999999G"}}));
  EXPECT_FALSE(parse({{"MNEME_RECORD_RANKS", "5-2"}}));
  EXPECT_FALSE(parse({{"MNEME_RECORD_RANKS", ""}}));
}

}  // namespace
}  // namespace mneme::record
