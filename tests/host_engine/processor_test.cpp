// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/processor.h"

#include <gtest/gtest.h>

#include "backend/host/engine.h"

namespace mneme::host {
namespace {

const ProcessorFacts kGenoa{"AMD EPYC", "25", "17", "", "fpu sse2 avx2 avx512f topoext"};

TEST(Processor, SaysBrandFamilyAndModel) {
  auto text = describeProcessor("x86-64", kGenoa);
  EXPECT_TRUE(text.starts_with("host x86-64 AMD EPYC (family 25, model 17, instructions ")) << text;
}

TEST(Processor, AnotherGenerationOfOneBrandIsAnotherModel) {
  auto milan = kGenoa;
  milan.model = "1";
  EXPECT_NE(describeProcessor("x86-64", milan), describeProcessor("x86-64", kGenoa));
}

TEST(Processor, InstructionSetsThatAVirtualMachineHidesAreAnotherModel) {
  auto hidden = kGenoa;
  hidden.flags = "fpu sse2 avx2 topoext";
  EXPECT_NE(describeProcessor("x86-64", hidden), describeProcessor("x86-64", kGenoa));
}

TEST(Processor, WhatTheKernelKnowsBesidesDoesNotMatter) {
  auto patched = kGenoa;
  patched.flags = "ibrs_enhanced avx512f avx2 fpu sse2 tsc_known_freq";
  EXPECT_EQ(describeProcessor("x86-64", patched), describeProcessor("x86-64", kGenoa));
}

TEST(Processor, ArmHasParts) {
  auto text = describeProcessor("aarch64", {"0x41", "", "", "0xd4f", "asimd sve2"});
  EXPECT_TRUE(text.starts_with("host aarch64 0x41 (part 0xd4f, instructions ")) << text;
  EXPECT_NE(text, describeProcessor("aarch64", {"0x41", "", "", "0xd4f", "asimd"}));
}

TEST(Processor, ThisOneHasAName) { EXPECT_TRUE(processorName().starts_with("host ")) << processorName(); }

}  // namespace
}  // namespace mneme::host
