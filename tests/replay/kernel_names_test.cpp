// SPDX-License-Identifier: Apache-2.0
/// Pairs of spellings as nvcc and clang were seen to make them.
#include "replay/kernel_names.h"

#include <gtest/gtest.h>

namespace mneme::replay {
namespace {

TEST(KernelNames, StaticKernelsLoseTheInternalMark) {
  EXPECT_EQ(normalisedName("_ZL4statPi"), normalisedName("_Z4statPi"));
  EXPECT_EQ(normalisedName("_ZN2nsL4statEPi"), normalisedName("_ZN2ns4statEPi"));
}

TEST(KernelNames, RelocatableCodeNames) {
  EXPECT_EQ(normalisedName("__nv_static_25__04c3cd61_4_n_cu_5a7d2f8f__Z4statPi"), "_Z4statPi");
  EXPECT_EQ(normalisedName("_ZL4statPi__intern__0123abcd"), "_Z4statPi");
  EXPECT_EQ(normalisedName("__nv_static_25__04c3cd61_4_n_cu_5a7d2f8f_gstat"), "gstat");
}

TEST(KernelNames, AnonymousNamespaces) {
  EXPECT_EQ(normalisedName("_ZN36_GLOBAL__N__04c3cd61_4_n_cu_5a7d2f8f4anonEPi"), normalisedName("_ZN12_GLOBAL__N_14anonEPi"));
}

TEST(KernelNames, StaticVariablesAreBare) {
  EXPECT_EQ(normalisedName("_ZL5gstat"), "gstat");
  EXPECT_EQ(normalisedName("gstat"), "gstat");
}

TEST(KernelNames, DifferentKernelsStayDifferent) {
  EXPECT_NE(normalisedName("_Z4statPi"), normalisedName("_Z4statPf"));
  EXPECT_NE(normalisedName("_ZL4statPi"), normalisedName("_ZL5statxPi"));
  EXPECT_EQ(normalisedName("_Z3addPfi"), "_Z3addPfi");
}

TEST(KernelNames, HostileNamesDoNotCrash) {
  for (const char* name : {"", "_Z", "_ZL", "__nv_static_", "__nv_static_99999999999999999999_x", "__nv_static_5_",
                           "9999_GLOBAL__N_", "_GLOBAL__N_", "__intern__", "_Z99999999999999999999x", "L1", "1_INTERNAL_"})
    EXPECT_LE(normalisedName(name).size(), std::string(name).size() + 14) << name;
}

TEST(KernelNames, InternalNamesAreKnown) {
  EXPECT_TRUE(isInternalName("_ZL4statPi"));
  EXPECT_TRUE(isInternalName("_ZN12_GLOBAL__N_14anonEPi"));
  EXPECT_TRUE(isInternalName("_ZL4statPi__intern__0123abcd"));
  EXPECT_FALSE(isInternalName("_Z4statPi"));
}

TEST(KernelNames, SignatureSplitsAndForgetsQualifiers) {
  auto plain = signatureOf("_Z3addPKfPfi"), other = signatureOf("_Z3addPfS_i");
  EXPECT_EQ(plain.function, "add");
  EXPECT_EQ(plain, other);
  EXPECT_EQ(signatureOf("_ZN12_GLOBAL__N_14anonEPi").function, "(anonymous namespace)::anon");
  EXPECT_EQ(signatureOf("scale").function, "scale");
}

}  // namespace
}  // namespace mneme::replay
