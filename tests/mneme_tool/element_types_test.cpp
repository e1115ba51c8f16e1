// SPDX-License-Identifier: Apache-2.0
#include "element_types.h"

#include <gtest/gtest.h>

#include <cstring>

#include "replay/tolerance_policy.h"

namespace mneme::cli {
namespace {

using format::ElementType;

constexpr uint64_t kFirst = 0x500000000000, kSecond = 0x500000010000;

/// kernel(ptr into `first`, ptr into `second`), two buffers of 4 KiB and the variable "table".
format::Manifest sample(uint64_t first = kFirst, uint64_t second = kSecond) {
  format::Manifest manifest;
  manifest.parameters = {{0, 8}, {8, 8}};
  manifest.arguments.resize(16);
  std::memcpy(manifest.arguments.data(), &first, 8);
  std::memcpy(manifest.arguments.data() + 8, &second, 8);
  manifest.regions.resize(3);
  manifest.regions[0].range = {kFirst, 4096, MemoryKind::Device, ""};
  manifest.regions[1].range = {kSecond, 4096, MemoryKind::Managed, ""};
  manifest.regions[2].range = {0x500000020000, 64, MemoryKind::Global, "table"};
  return manifest;
}

std::vector<ElementType> typesOf(const format::Manifest& manifest) {
  std::vector<ElementType> types;
  for (const auto& region : manifest.regions) types.push_back(region.element);
  return types;
}

using Types = std::vector<ElementType>;

TEST(ElementTypesOfRegions, ComeFromPointersAndNames) {
  auto manifest = sample();
  applyElementTypes(manifest, "stored 0 0 f32\nloaded 1 0 i64\nvariable f64 table\nvariable i8 other\n");
  EXPECT_EQ(typesOf(manifest), (Types{ElementType::F32, ElementType::I64, ElementType::F64}));
}

TEST(ElementTypesOfRegions, AnnotationsWin) {
  auto manifest = sample();
  manifest.regions[0].element = ElementType::BF16;
  applyElementTypes(manifest, "stored 0 0 i16\n");
  EXPECT_EQ(manifest.regions[0].element, ElementType::BF16);
}

TEST(ElementTypesOfRegions, StoresWinOverLoadsAndDisagreementIsBytes) {
  auto manifest = sample(kFirst, kFirst + 64);
  applyElementTypes(manifest, "stored 0 0 f32\nloaded 1 0 i32\n");
  EXPECT_EQ(manifest.regions[0].element, ElementType::F32);
  manifest = sample(kFirst, kFirst + 64);
  applyElementTypes(manifest, "stored 0 0 f32\nstored 1 0 i32\n");
  EXPECT_EQ(manifest.regions[0].element, ElementType::Bytes);
}

TEST(ElementTypesOfRegions, ElementsOffTheGridAreBytes) {
  auto manifest = sample(kFirst + 2);
  applyElementTypes(manifest, "stored 0 0 f32\n");
  EXPECT_EQ(manifest.regions[0].element, ElementType::Bytes);
}

TEST(ElementTypesOfRegions, PointersInsideStructuresCount) {
  auto manifest = sample();
  manifest.parameters = {{0, 16}};
  applyElementTypes(manifest, "stored 0 8 f16\n");
  EXPECT_EQ(typesOf(manifest), (Types{ElementType::Bytes, ElementType::F16, ElementType::Bytes}));
}

TEST(ElementTypesOfRegions, NonsenseIsPassedOver) {
  auto manifest = sample();
  applyElementTypes(manifest, "stored 7 0 f32\nstored 0 12 f32\nstored 0 18446744073709551615 f32\nstored x\nloaded 0 0 f99\nvariable\n\nwhat 0 0 f32\n");
  EXPECT_EQ(typesOf(manifest), Types(3, ElementType::Bytes));
}

/// What the types are for: floats may differ across devices within the stated default, all else may not.
TEST(ElementTypesOfRegions, DecideHowAnotherDeviceIsCompared) {
  auto manifest = sample();
  manifest.backend = "host";
  manifest.model = "host x86-64 one";
  manifest.regions[0].changed = manifest.regions[1].changed = manifest.regions[2].changed = true;
  applyElementTypes(manifest, "stored 0 0 f32\nstored 1 0 i32\n");
  replay::PolicyInputs inputs{"host x86-64 two", CodeKind::Llvm, "", {}, nullptr, false};
  auto policy = replay::choosePolicy(manifest, inputs);
  EXPECT_EQ(policy.rules[0].limits.relative, 1e-5);
  EXPECT_TRUE(policy.rules[1].limits.exact());
  EXPECT_TRUE(policy.rules[2].limits.exact());
  EXPECT_EQ(policy.text, "within rtol=1e-05 (default across devices) or exactly");
  inputs.model = manifest.model;
  EXPECT_EQ(replay::choosePolicy(manifest, inputs).text, "exactly");
}

}  // namespace
}  // namespace mneme::cli
