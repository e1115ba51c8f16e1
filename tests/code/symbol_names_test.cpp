// SPDX-License-Identifier: Apache-2.0
/// Pairs of spellings as nvcc and clang were seen to make them.
#include "code/symbol_names.h"

#include <gtest/gtest.h>

namespace mneme::code {
namespace {

TEST(SymbolNames, StaticKernelsAgree) {
  EXPECT_EQ(sourceName("_Z4statPi"), "stat(int*)");
  EXPECT_EQ(sourceName("_ZL4statPi"), sourceName("_Z4statPi"));
  EXPECT_EQ(sourceName("_ZN2nsL5stat2EPi"), sourceName("_ZN2ns5stat2EPi"));
}

TEST(SymbolNames, RelocatableCodeAgrees) {
  EXPECT_EQ(sourceName("_ZL4statPi__intern__94272382ad09e7a6"), "stat(int*)");
  EXPECT_EQ(sourceName("__nv_static_21__c0cc183a_4_n_cu_main__Z4statPi"), "stat(int*)");
  EXPECT_EQ(sourceName("__nv_static_21__c0cc183a_4_n_cu_main_gstat"), "gstat");
}

TEST(SymbolNames, AnonymousNamespacesAgree) {
  EXPECT_EQ(sourceName("_ZN32_GLOBAL__N__c0cc183a_4_n_cu_main4anonEPi"), sourceName("_ZN12_GLOBAL__N_14anonEPi"));
}

TEST(SymbolNames, InternalVariablesAgree) {
  EXPECT_EQ(sourceName("_ZL5gstat"), sourceName("gstat"));
  EXPECT_EQ(sourceName("_ZN30_INTERNAL_c0cc183a_4_n_cu_main2ns3gs2E"), sourceName("_ZN2nsL3gs2E"));
  EXPECT_EQ(sourceName("_ZN30_INTERNAL_c0cc183a_4_n_cu_main32_GLOBAL__N__c0cc183a_4_n_cu_main5ganonE"),
            sourceName("_ZN12_GLOBAL__N_15ganonE"));
}

TEST(SymbolNames, EntitiesInOtherScopesStayDifferent) {
  EXPECT_NE(sourceName("_ZN1a1fEv"), sourceName("_ZN1b1fEv"));
}

TEST(SymbolNames, OddInputComesBackAsItIs) {
  for (const char* odd : {"", "saxpy", "__nv_static_", "__nv_static_9999_x", "_INTERNAL_", "__intern__"})
    EXPECT_EQ(sourceName(odd), odd);
}

TEST(SymbolNames, StaticKernelsLoseTheInternalMark) {
  EXPECT_EQ(normalisedName("_ZL4statPi"), normalisedName("_Z4statPi"));
  EXPECT_EQ(normalisedName("_ZN2nsL4statEPi"), normalisedName("_ZN2ns4statEPi"));
}

TEST(SymbolNames, AnLOfTheNameItselfStays) {
  EXPECT_EQ(sourceName("_Z6axpyL2Pf"), "axpyL2(float*)");
  EXPECT_EQ(sourceName("_Z5scaleILi4EL3KeyEvPf"), sourceName("_Z5scaleILi4E3KeyEvPf"));
  EXPECT_EQ(sourceName("_Z3addILi128ELb1EEvPfS0_RA16_f"), "void add<128, true>(float*, float*, float (&) [16])");
}

TEST(SymbolNames, RelocatableCodeNames) {
  EXPECT_EQ(normalisedName("__nv_static_25__04c3cd61_4_n_cu_5a7d2f8f__Z4statPi"), "_Z4statPi");
  EXPECT_EQ(normalisedName("_ZL4statPi__intern__0123abcd"), "_Z4statPi");
  EXPECT_EQ(normalisedName("__nv_static_25__04c3cd61_4_n_cu_5a7d2f8f_gstat"), "gstat");
}

TEST(SymbolNames, AnonymousNamespaces) {
  EXPECT_EQ(normalisedName("_ZN36_GLOBAL__N__04c3cd61_4_n_cu_5a7d2f8f4anonEPi"), normalisedName("_ZN12_GLOBAL__N_14anonEPi"));
}

TEST(SymbolNames, StaticVariablesAreBare) {
  EXPECT_EQ(normalisedName("_ZL5gstat"), "gstat");
  EXPECT_EQ(normalisedName("gstat"), "gstat");
}

TEST(SymbolNames, DifferentKernelsStayDifferent) {
  EXPECT_NE(normalisedName("_Z4statPi"), normalisedName("_Z4statPf"));
  EXPECT_NE(normalisedName("_ZL4statPi"), normalisedName("_ZL5statxPi"));
  EXPECT_EQ(normalisedName("_Z3addPfi"), "_Z3addPfi");
}

TEST(SymbolNames, HostileNamesDoNotCrash) {
  for (const char* name : {"", "_Z", "_ZL", "__nv_static_", "__nv_static_99999999999999999999_x", "__nv_static_5_",
                           "9999_GLOBAL__N_", "_GLOBAL__N_", "__intern__", "_Z99999999999999999999x", "L1", "1_INTERNAL_"})
    EXPECT_LE(normalisedName(name).size(), std::string(name).size() + 14) << name;
}

TEST(SymbolNames, InternalNamesAreKnown) {
  EXPECT_TRUE(isInternalName("_ZL4statPi"));
  EXPECT_TRUE(isInternalName("_ZN12_GLOBAL__N_14anonEPi"));
  EXPECT_TRUE(isInternalName("_ZL4statPi__intern__0123abcd"));
  EXPECT_FALSE(isInternalName("_Z4statPi"));
}

TEST(SymbolNames, SignatureSplitsAndForgetsQualifiers) {
  auto plain = signatureOf("_Z3addPKfPfi"), other = signatureOf("_Z3addPfS_i");
  EXPECT_EQ(plain.function, "add");
  EXPECT_EQ(plain, other);
  EXPECT_EQ(signatureOf("_ZN12_GLOBAL__N_14anonEPi").function, "(anonymous namespace)::anon");
  EXPECT_EQ(signatureOf("scale").function, "scale");
}

}  // namespace
}  // namespace mneme::code
