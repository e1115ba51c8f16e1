// SPDX-License-Identifier: Apache-2.0
#include "gate_report.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <sstream>

namespace mneme::cli {
namespace {

using testing::HasSubstr;

ReplayResult result(const std::string& name, const std::string& verdict, int exitCode, nlohmann::json more = nlohmann::json::object()) {
  ReplayResult one{exitCode, {"FAIL perf " + name + ": 100% slower", "  next: mneme stats app"},
                   {{"name", name}, {"kind", "perf"}, {"verdict", verdict}, {"device", "NVIDIA H200"}}};
  one.data.update(more);
  return one;
}

std::vector<ReplayResult> many(size_t count, int exitCode) {
  std::vector<ReplayResult> all;
  for (size_t i = 0; i < count; ++i) all.push_back(result("k" + std::to_string(i) + ".1", exitCode ? "regression" : "undecided", exitCode));
  return all;
}

size_t linesOf(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

TEST(GateReport, AFailureIsAnErrorWithItsLines) {
  const std::vector<ReplayResult> one{result("a.1", "regression", kFailed, {{"source", "src/a,b.cu"}, {"line", 7}})};
  EXPECT_EQ(githubAnnotations(one),
            "::error file=src/a%2Cb.cu,line=7,title=mneme perf%3A a.1::FAIL perf a.1: 100%25 slower%0A  next: mneme stats app\n");
}

TEST(GateReport, PassesAreNoAnnotationsButImprovementsAreWarnings) {
  EXPECT_EQ(githubAnnotations(std::vector{result("a.1", "pass", kPass), result("b.1", "unchanged", kPass)}), "");
  EXPECT_THAT(githubAnnotations(std::vector{result("a.1", "improvement", kPass)}), HasSubstr("::warning "));
}

TEST(GateReport, GithubShowsTenOfAKind) {
  EXPECT_EQ(linesOf(githubAnnotations(many(10, kFailed))), 10u);
  const auto text = githubAnnotations(many(25, kFailed));
  EXPECT_EQ(linesOf(text), 10u);
  EXPECT_THAT(text, HasSubstr("and 16 more"));
  EXPECT_EQ(linesOf(githubAnnotations(many(25, kPass))), 10u) << "undecided ones that pass are warnings";
}

TEST(GateReport, TheSummaryIsATableWithFailuresFirst) {
  const std::vector<ReplayResult> both{
      result("fine.1", "pass", kPass),
      result("bad|.1", "regression", kFailed, {{"ratio", 1.25}, {"ratio_low", 1.2}, {"ratio_high", 1.3}, {"baseline_ns", 1500.0}})};
  const auto text = markdownSummary(both);
  EXPECT_LT(text.find("bad\\|.1"), text.find("fine.1"));
  EXPECT_THAT(text, HasSubstr("| **regression** | 1.2500 (1.2000 to 1.3000) | 1.500 |"));
  EXPECT_THAT(text, HasSubstr("| FAIL perf bad\\|.1: 100% slower   next:"));
  EXPECT_TRUE(text.ends_with("|\n"));
  EXPECT_THAT(markdownSummary(both, false), testing::StartsWith("| bad"));
}

TEST(GateReport, TheSummaryStaysBelowGithubsLimit) {
  const auto text = markdownSummary(many(30'000, kFailed));
  EXPECT_LT(text.size(), size_t{1} << 20);
  EXPECT_THAT(text, HasSubstr(" more that pass or come later"));
}

TEST(GateReport, MetricsAreOpenMetrics) {
  const std::vector<ReplayResult> one{result("a\"\n.1", "pass", kPass, {{"ratio", 1.5}, {"registers", 32}})};
  const auto text = metricsText(one);
  EXPECT_THAT(text, HasSubstr("# TYPE mneme_gate_ratio gauge\n"));
  EXPECT_THAT(text, HasSubstr("mneme_gate_registers{recording=\"a\\\""));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
  EXPECT_EQ(linesOf(text), 7u) << "a name cannot make lines";
}

TEST(GateReport, HistoryHasOneLineAResult) {
  const auto text = historyLines(std::vector{result("a.1", "pass", kPass, {{"candidate_ns", 5.0}, {"baseline_samples", {1, 2}}}),
                                             result("b.1", "pass", kPass)});
  std::istringstream lines(text);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto first = nlohmann::json::parse(line);
  EXPECT_EQ(first["candidate_ns"], 5.0);
  EXPECT_FALSE(first.contains("baseline_samples"));
  EXPECT_TRUE(first["time"].is_string());
  EXPECT_EQ(linesOf(text), 2u);
}

}  // namespace
}  // namespace mneme::cli
