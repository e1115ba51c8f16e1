// SPDX-License-Identifier: Apache-2.0
#include "replay/tolerance_policy.h"

#include <gtest/gtest.h>

namespace mneme::replay {
namespace {

using format::SelfCheck;

/// One changed f32 region "y", recorded on "model".
format::Manifest sample(ElementType type = ElementType::F32) {
  format::Manifest manifest;
  manifest.kernel = "_Z3addPfi";
  manifest.model = "model";
  format::Region region;
  region.range.name = "y";
  region.element = type;
  region.changed = true;
  manifest.regions.push_back(region);
  return manifest;
}

PolicyInputs same() { return {"model", CodeKind::Llvm, "", {}, nullptr, false}; }

format::Tolerance relative(double value, std::optional<std::string> buffer = {}) {
  format::Tolerance tolerance;
  tolerance.rtol = value;
  tolerance.buffer = std::move(buffer);
  return tolerance;
}

TEST(TolerancePolicy, SameDeviceIsExact) {
  auto policy = choosePolicy(sample(), same());
  EXPECT_TRUE(policy.rules[0].limits.exact());
  EXPECT_EQ(policy.text, "exactly");
  EXPECT_EQ(policy.undecidable, "");
}

TEST(TolerancePolicy, AnotherDeviceHasAStatedDefaultPerType) {
  auto inputs = same();
  inputs.model = "other";
  EXPECT_EQ(choosePolicy(sample(), inputs).rules[0].limits.relative, 1e-5);
  EXPECT_EQ(choosePolicy(sample(ElementType::F64), inputs).rules[0].limits.relative, 1e-12);
  EXPECT_EQ(choosePolicy(sample(ElementType::F16), inputs).rules[0].limits.relative, 1e-2);
  EXPECT_TRUE(choosePolicy(sample(ElementType::Bytes), inputs).rules[0].limits.exact());
  EXPECT_NE(choosePolicy(sample(), inputs).text.find("default across devices"), std::string::npos);
}

TEST(TolerancePolicy, AnotherCompilerHasThatDefaultToo) {
  auto manifest = sample();
  manifest.toolchain = "clang 21.0";
  auto inputs = same();
  inputs.compiler = "clang 22.1";
  EXPECT_NE(choosePolicy(manifest, inputs).text.find("default across compilers"), std::string::npos);
  manifest.toolchain = "clang 22.1";
  EXPECT_EQ(choosePolicy(manifest, inputs).text, "exactly");
}

TEST(TolerancePolicy, TheSpreadOfTheSelfCheckIsTheDefault) {
  auto manifest = sample();
  manifest.selfCheck["llvm"] = {SelfCheck::Result::ReproducedWithin, 0.5, 1e-6, 3, ""};
  auto policy = choosePolicy(manifest, same());
  EXPECT_GE(policy.rules[0].limits.absolute, 0.5);
  EXPECT_GE(policy.rules[0].limits.ulp, 3u);
  EXPECT_NE(policy.text.find("self-check"), std::string::npos);
}

TEST(TolerancePolicy, FlagBeatsFileBeatsAnnotationBeatsDefault) {
  auto manifest = sample();
  auto inputs = same();
  format::Annotation annotation;
  annotation.buffer = "y";
  annotation.rtol = 0.1;
  manifest.annotations.push_back(annotation);
  EXPECT_EQ(choosePolicy(manifest, inputs).rules[0].limits.relative, 0.1);
  format::ToleranceFile file;
  file.set(manifest.kernel, relative(0.2));
  inputs.file = &file;
  EXPECT_EQ(choosePolicy(manifest, inputs).rules[0].limits.relative, 0.2);
  inputs.flags = {relative(0.3)};
  EXPECT_EQ(choosePolicy(manifest, inputs).rules[0].limits.relative, 0.3);
  inputs.flags = {relative(0.4, "y"), relative(0.3)};
  EXPECT_EQ(choosePolicy(manifest, inputs).rules[0].limits.relative, 0.4);
  inputs.flags = {relative(0.5, "z")};
  EXPECT_EQ(choosePolicy(manifest, inputs).rules[0].limits.relative, 0.2);
}

TEST(TolerancePolicy, AnAnnotationGivesTheElementType) {
  auto manifest = sample(ElementType::Bytes);
  format::Annotation annotation;
  annotation.buffer = "y";
  annotation.element = ElementType::F64;
  manifest.annotations.push_back(annotation);
  EXPECT_EQ(elementTypes(manifest), std::vector<ElementType>{ElementType::F64});
}

TEST(TolerancePolicy, WhatDidNotReproduceNeedsAPersonsTolerance) {
  auto manifest = sample();
  manifest.selfCheck["llvm"] = {SelfCheck::Result::NotReproduced, 0, 0, 0, "race"};
  auto inputs = same();
  EXPECT_NE(choosePolicy(manifest, inputs).undecidable.find("race"), std::string::npos);
  inputs.flags = {relative(0.1)};
  EXPECT_EQ(choosePolicy(manifest, inputs).undecidable, "");
  inputs.flags.clear();
  inputs.exact = true;
  EXPECT_EQ(choosePolicy(manifest, inputs).undecidable, "");
}

TEST(TolerancePolicy, RedactedMemoryHasNoRightAnswer) {
  auto manifest = sample();
  manifest.redaction = format::Redaction::Memory;
  auto inputs = same();
  inputs.flags = {relative(0.1)};
  EXPECT_NE(choosePolicy(manifest, inputs).undecidable.find("redacted"), std::string::npos);
  manifest.redaction = format::Redaction::Inputs;
  EXPECT_EQ(choosePolicy(manifest, inputs).undecidable, "");
}

}  // namespace
}  // namespace mneme::replay
