// SPDX-License-Identifier: Apache-2.0
/// What is advised where a replay came to no verdict.
#include "next_step.h"

#include <gmock/gmock.h>

namespace mneme::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A recording of ./app with one changed region.
format::Manifest sample() {
  format::Manifest manifest;
  manifest.shortName = "k";
  manifest.program = "./app 7";
  manifest.regions.emplace_back().changed = true;
  return manifest;
}

std::string undecided(const format::Manifest& manifest, replay::ElementType type, const std::string& code = "recorded") {
  replay::Verdict verdict;
  verdict.outcome = replay::Outcome::Undecided;
  verdict.elements = {type};
  ReplayOptions options;
  options.code = code;
  return nextAfterVerdict(verdict, manifest, "set/k.00000000.json", options);
}

TEST(NextStep, AToleranceHelpsOnlyNumbers) {
  EXPECT_EQ(undecided(sample(), replay::ElementType::F32), "mneme replay set/k.00000000.json --tolerance rtol=1e-5");
  for (auto type : {replay::ElementType::I32, replay::ElementType::Bytes}) {
    auto next = undecided(sample(), type);
    EXPECT_THAT(next, StartsWith("mneme record -o set --kernel k --reach all -- ./app 7"));
    EXPECT_THAT(next, HasSubstr("mneme rm set/k.00000000.json"));
    EXPECT_THAT(next, Not(HasSubstr("tolerance")));
  }
}

TEST(NextStep, RedactedMemoryGetsAnAnswer) {
  auto manifest = sample();
  manifest.redaction = format::Redaction::Memory;
  EXPECT_THAT(undecided(manifest, replay::ElementType::F32), StartsWith("mneme baseline update set/k.00000000.json --code ./app "));
  EXPECT_THAT(undecided(manifest, replay::ElementType::F32, "build/new"), HasSubstr(" --code build/new "));
}

TEST(NextStep, ARefusalNamesTheDeviceOfTheRecording) {
  auto manifest = sample();
  manifest.backend = "cuda";
  ReplayOptions options;
  options.device = "host";
  ReplayResult refused{kDevice, {}, {{"refused", true}}};
  EXPECT_THAT(nextAfterTrouble(refused, &manifest, "set/k.00000000.json", options),
              StartsWith("mneme replay set/k.00000000.json --device cuda"));
}

TEST(NextStep, ACrashOfTheBuildIsTriedWithTheRecordedCode) {
  auto manifest = sample();
  ReplayOptions options;
  options.code = "build/new";
  ReplayResult crash{kDevice, {}, {{"verdict", "crash"}}};
  EXPECT_THAT(nextAfterTrouble(crash, &manifest, "set/k.00000000.json", options), StartsWith("mneme replay set/k.00000000.json   ("));
  options.code = "recorded";
  EXPECT_THAT(nextAfterTrouble(crash, &manifest, "set/k.00000000.json", options), StartsWith("mneme record -o set --kernel k -- ./app 7"));
}

}  // namespace
}  // namespace mneme::cli
