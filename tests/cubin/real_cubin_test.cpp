// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/file.h"
#include "cubin/cubin.h"

namespace mneme::cubin {
namespace {

std::vector<std::byte> bytesOf(const std::string& file) {
  auto bytes = readBytes(std::string(CUBIN_FOLDER) + "/" + file, 1 << 20);
  EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message());
  return bytes ? *bytes : std::vector<std::byte>{};
}

std::vector<std::byte> sample(const std::string& architecture) { return bytesOf("sample." + architecture + ".cubin"); }

class RealCubin : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Architectures, RealCubin, testing::Values("sm_75", "sm_90"),
                         [](const auto& info) { return info.param; });

TEST_P(RealCubin, NamesArchitectureAndKernels) {
  const auto cubin = parse(sample(GetParam()));
  ASSERT_TRUE(cubin) << cubin.error().message();
  EXPECT_EQ(cubin->architecture, GetParam());
  EXPECT_FALSE(cubin->relocatable);
  std::vector<std::string> names;
  for (const Kernel& kernel : cubin->kernels) names.push_back(kernel.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("mixed", "plain", "nothing"));
}

TEST_P(RealCubin, LaysOutParameters) {
  const auto cubin = parse(sample(GetParam()));
  ASSERT_TRUE(cubin);
  const std::vector<ParameterSlot> wanted{{0, 8}, {8, 4}, {16, 8}, {24, 1}, {28, 6000}};
  EXPECT_EQ(cubin->kernel("mixed")->parameters, wanted);
  EXPECT_EQ(cubin->kernel("plain")->parameters, (std::vector<ParameterSlot>{{0, 8}}));
  EXPECT_TRUE(cubin->kernel("nothing")->parameters.empty());
}

TEST_P(RealCubin, ListsVariablesWithTheirKind) {
  const auto cubin = parse(sample(GetParam()));
  ASSERT_TRUE(cubin);
  const auto find = [&](std::string_view name) {
    const auto found = std::ranges::find(cubin->variables, name, &Variable::name);
    return found == cubin->variables.end() ? Variable{} : *found;
  };
  EXPECT_EQ(find("gain").size, 4u);
  EXPECT_FALSE(find("gain").constant);
  EXPECT_EQ(find("history").size, 400u);
  EXPECT_EQ(find("weights").size, 16u);
  EXPECT_TRUE(find("weights").constant);
  EXPECT_TRUE(find("counter").managed);
  EXPECT_FALSE(find("gain").managed);
}

TEST_P(RealCubin, SaysWhatKernelsUse) {
  for (const char* form : {".cubin", ".cubin.linked"}) {
    const auto cubin = parse(bytesOf("uses." + GetParam() + form));
    ASSERT_TRUE(cubin) << cubin.error().message();
    std::vector<std::string> sampling, heap;
    for (const Kernel& kernel : cubin->kernels) {
      if (kernel.sampling == Sampling::Objects) sampling.push_back(kernel.name);
      if (kernel.usesHeap) heap.push_back(kernel.name);
    }
    EXPECT_EQ(cubin->kernels.size(), 13u) << form;
    EXPECT_THAT(sampling, testing::UnorderedElementsAre("samples", "fetches", "gathers", "samplesInAFunction",
                                                        "samplesAConstant", "readsASurface", "writesASurface"))
        << form;
    EXPECT_THAT(heap, testing::UnorderedElementsAre("allocates", "frees", "makes", "allocatesInAFunction")) << form;
  }
}

TEST_P(RealCubin, EveryTruncationAndBitFlipIsSurvived) {
  const auto bytes = sample(GetParam());
  for (size_t size = 0; size < bytes.size(); size += 37)
    (void)parse(std::span(bytes).first(size)).has_value();
  for (size_t at = 0; at < bytes.size(); at += 5) {
    auto broken = bytes;
    broken[at] ^= std::byte{0xff};
    const auto cubin = parse(broken);
    if (cubin) {
      EXPECT_LE(cubin->kernels.size(), 64u);
    }
  }
}

TEST(DeviceLaunches, AreSeenInTheKernelsThatMakeThem) {
  const auto cubin = parse(bytesOf("device_launch.sm_90.cubin"));
  ASSERT_TRUE(cubin) << cubin.error().message();
  for (const auto& [name, launches] : {std::pair("launches", true), {"launches_in_a_function", true},
                                       {"launches_nothing", false}, {"_Z8launchedPi", false}}) {
    ASSERT_NE(cubin->kernel(name), nullptr) << name;
    EXPECT_EQ(cubin->kernel(name)->launchesKernels, launches) << name;
  }
}

}  // namespace
}  // namespace mneme::cubin
