// SPDX-License-Identifier: Apache-2.0
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

TEST(SymbolNames, DifferentEntitiesStayDifferent) {
  EXPECT_NE(sourceName("_Z4statPi"), sourceName("_Z4statPf"));
  EXPECT_NE(sourceName("_ZN1a1fEv"), sourceName("_ZN1b1fEv"));
}

TEST(SymbolNames, OddInputComesBackAsItIs) {
  for (const char* odd : {"", "saxpy", "__nv_static_", "__nv_static_9999_x", "_INTERNAL_", "__intern__"})
    EXPECT_EQ(sourceName(odd), odd);
}

}  // namespace
}  // namespace mneme::code
