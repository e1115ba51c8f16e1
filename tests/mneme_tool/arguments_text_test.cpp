// SPDX-License-Identifier: Apache-2.0
#include "arguments_text.h"

#include <gtest/gtest.h>

#include <cstring>

namespace mneme::cli {
namespace {

using Texts = std::vector<std::string>;

template <typename T>
void add(format::Manifest& manifest, const T& value) {
  manifest.parameters.push_back({static_cast<uint32_t>(manifest.arguments.size()), sizeof value});
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
  manifest.arguments.insert(manifest.arguments.end(), bytes, bytes + sizeof value);
}

/// saxpy(int, float, float const*, float*) whose third argument is null and whose fourth is 64 bytes into region 0.
format::Manifest saxpy() {
  format::Manifest manifest;
  manifest.demangled = "saxpy(int, float, float const*, float*)";
  add(manifest, int32_t{-5});
  add(manifest, 2.5f);
  add(manifest, uint64_t{0});
  add(manifest, uint64_t{0x500000000040});
  manifest.regions.resize(2);
  manifest.regions[0].range = {0x500000000000, 4096, MemoryKind::Device, ""};
  manifest.regions[1].range = {0x600000000000, 16, MemoryKind::Global, "counter"};
  return manifest;
}

TEST(ArgumentsText, TypesComeFromTheKernelsName) {
  EXPECT_EQ(argumentLines(saxpy()), (Texts{"0   int           -5", "1   float         2.5", "2   float const*  null",
                                           "3   float*        region 0 + 64"}));
}

TEST(ArgumentsText, UnsignedIsANumberAndAPointerToItIsNone) {
  auto manifest = saxpy();
  manifest.demangled = "saxpy(unsigned int, float, unsigned char const*, unsigned char*)";
  auto lines = argumentLines(manifest);
  EXPECT_EQ(lines[0], "0   unsigned int          4294967291");
  EXPECT_EQ(lines[2], "2   unsigned char const*  null");
  EXPECT_EQ(lines[3], "3   unsigned char*        region 0 + 64");
}

TEST(ArgumentsText, WithoutTypesValuesAreGuessed) {
  auto manifest = saxpy();
  manifest.demangled = "saxpy";
  EXPECT_EQ(argumentLines(manifest), (Texts{"0   -5", "1   1075838976, or 2.5 as f32", "2   0", "3   region 0 + 64"}));
}

TEST(ArgumentsText, StructuresShowTheirPointers) {
  format::Manifest manifest = saxpy();
  manifest.parameters = {{0, 24}};
  manifest.arguments.assign(24, 0);
  const uint64_t pointer = 0x500000000000;
  std::memcpy(manifest.arguments.data() + 8, &pointer, 8);
  manifest.demangled = "k(View<float, 2>)";
  EXPECT_EQ(argumentLines(manifest), Texts{"0   View<float, 2>  24 bytes 000000000000000000000000005000000000000000000000, at 8 region 0"});
}

TEST(ArgumentsText, PointersToNothingRecordedSaySo) {
  auto manifest = saxpy();
  manifest.regions.clear();
  EXPECT_EQ(argumentLines(manifest)[3], "3   float*        0x500000000040, in no recorded region");
}

TEST(ArgumentsText, SplitsParameterListsAtTheirOwnCommas) {
  EXPECT_EQ(parameterTypes("void k<A<1, 2>>(A<b, c>*, void (*)(int, int), int)"), (Texts{"A<b, c>*", "void (*)(int, int)", "int"}));
  EXPECT_EQ(parameterTypes("(anonymous namespace)::k(int)"), Texts{"int"});
  EXPECT_EQ(parameterTypes("k()"), Texts{});
  EXPECT_EQ(parameterTypes("k"), Texts{});
  EXPECT_EQ(parameterTypes("k)"), Texts{});
}

TEST(ArgumentsText, RegionsAreCalledByNameAndArgument) {
  auto manifest = saxpy();
  EXPECT_EQ(regionLabel(manifest, 0), "region 0 (argument 3)");
  EXPECT_EQ(regionLabel(manifest, 1), "variable counter");
  manifest.regions[0].range.name = "y";
  EXPECT_EQ(regionLabel(manifest, 0), "region y (argument 3)");
  manifest.arguments.assign(manifest.arguments.size(), 0);
  EXPECT_EQ(regionLabel(manifest, 0), "region y");
}

}  // namespace
}  // namespace mneme::cli
