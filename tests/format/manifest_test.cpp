// SPDX-License-Identifier: Apache-2.0
/// Manifests as text, and the names that files and tests get.
#include "format/manifest.h"

#include <cmath>
#include <gtest/gtest.h>

namespace mneme::format {
namespace {

Manifest full() {
  Manifest m;
  m.kernel = "_Z1kPf";
  m.demangled = "k(float*)";
  m.shortName = "k";
  m.tag = "warm";
  m.ordinal = 5;
  m.rank = 3;
  m.shape.grid = {7, 8, 9};
  m.shape.cooperative = true;
  m.shape.dynamicSharedBytes = 4096;
  m.arguments.assign(8, 255);
  m.parameters = {{0, 8}};
  m.regions.push_back({{UINT64_MAX - 4096, 4096, MemoryKind::Managed, "out"}, ElementType::BF16, true, 4096});
  m.before = {"r0-abc", 32, 100, hash128("a")};
  m.after = {"r0-abc", 200, 100, hash128("b")};
  m.code.push_back({CodeKind::Ptx, toHex(hash128("c")) + ".ptx", hash128("c"), "sm_90", "k.cu", "nvcc \"k.cu\""});
  m.backend = "cuda";
  m.stackLimit = 1024;
  m.sharedWrites = true;
  m.kernelNanoseconds = 1234;
  m.annotations.push_back({"out", ElementType::F32, 0.1, {}, 3});
  m.selfCheck["ptx"] = {SelfCheck::Result::ReproducedWithin, 1e-7, INFINITY, 4, "atomics"};
  m.hash8 = identityHash(m);
  return m;
}

TEST(Manifest, ReadsWhatItWrites) {
  auto text = toJson(full());
  auto parsed = parseManifest(text, "m.json");
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(toJson(*parsed), text);
  EXPECT_EQ(parsed->shape, full().shape);
  EXPECT_EQ(parsed->regions[0].range, full().regions[0].range);
  EXPECT_TRUE(std::isinf(parsed->selfCheck.at("ptx").relative));
  EXPECT_EQ(parsed->annotations[0].atol, 0.1);
}

TEST(Manifest, IdentityIsNeverContentOrAddress) {
  auto a = full(), b = full();
  b.regions[0].range.address = 4096;
  b.arguments.assign(8, 0);
  b.before.hash = hash128("other");
  b.model = "other";
  EXPECT_EQ(identityHash(a), identityHash(b));
  b.ordinal = 6;
  EXPECT_NE(identityHash(a), identityHash(b));
  b = a;
  b.shape.block.x = 2;
  EXPECT_NE(identityHash(a), identityHash(b));
  b = a;
  b.tag = "cold";
  EXPECT_NE(identityHash(a), identityHash(b));
}

TEST(Manifest, TextThatIsNotUtf8IsStillReadable) {
  auto m = full();
  m.program = "app \xff\xfe";
  EXPECT_TRUE(parseManifest(toJson(m), "m.json"));
}

TEST(ShortName, FromDemangledNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"axpy(float*, float*, float, int)", "axpy"},
      {"void heat::stencil<float, 16>(float*, int)", "stencil_float_16"},
      {"void (anonymous namespace)::step<double>(double*)", "step_double"},
      {"void k<std::vector<int> >(std::vector<int>)", "k_vector_int"},
      {"plain_c_name", "plain_c_name"},
      {"void run<main::{lambda(int)#1}>(main::{lambda(int)#1})", "run_lambda_int_1"},
      {"Functor::operator()(int) const", "call"},
      {"", "kernel"},
      {"\xc3\xa9", "kernel"},
  };
  for (const auto& [demangled, expected] : cases) EXPECT_EQ(shortNameOf(demangled), expected) << demangled;
}

TEST(ShortName, IsAlwaysAName) {
  for (const char* text : {"f((((", "f>>>>", "::::", "a b c d", "operator<<(x)", "<<<>>>", "___", "f(int (*)(int))", "{lambda()#1}::operator()() const"})
    EXPECT_TRUE(isShortName(shortNameOf(text))) << text << " -> " << shortNameOf(text);
  EXPECT_LE(shortNameOf("void " + std::string(500, 'x') + "<int>(int)").size(), 48u);
}

TEST(ShortName, OfAMangledName) { EXPECT_EQ(shortNameOf(demangle("_ZN4heat7stencilIfLi16EEEvPT_i")), "stencil_float_16"); }

}  // namespace
}  // namespace mneme::format
