// SPDX-License-Identifier: Apache-2.0
/// Code found in programs as nvcc makes them, without any note.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cubin/cubin.h"
#include "fakes.h"
#include "replay/code_selection.h"

namespace mneme::replay {
namespace {

using test::FakeRecording;
using testing::HasSubstr;

CodeRequest request(const std::string& binary, const std::string& architecture = "sm_90") {
  return {std::filesystem::path(PACKED_FOLDER) / binary, std::nullopt,
          {CodeKind::Image, CodeKind::Ptx, CodeKind::Llvm}, architecture};
}

Expected<Selection> select(const std::string& kernel, const CodeRequest& request) {
  FakeRecording recording;
  recording.value.kernel = kernel;
  recording.value.demangled = kernel;
  return selectCode(recording, request);
}

void expectImage(const Expected<Selection>& found, const std::string& kernel) {
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->obstacle, Obstacle::None) << found->reason;
  EXPECT_EQ(found->code.code.kind, CodeKind::Image);
  EXPECT_EQ(found->code.architecture, "sm_90");
  const auto parsed = cubin::parse(found->code.code.bytes);
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_NE(parsed->kernel(kernel), nullptr);
}

class PackedCode : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Modes, PackedCode, testing::Values("default", "none", "size", "speed", "balance"),
                         [](const auto& info) { return info.param; });

TEST_P(PackedCode, TheImageIsFoundInTheBinary) {
  if (GetParam() == "speed" && !PACKED_LZ4) GTEST_SKIP() << "built without liblz4";
  expectImage(select("_Z9inProgramPfi", request(GetParam())), "_Z9inProgramPfi");
}

TEST_P(PackedCode, ANewerDeviceTakesThePtx) {
  if (GetParam() == "speed" && !PACKED_LZ4) GTEST_SKIP() << "built without liblz4";
  const auto found = select("_Z9inProgramPfi", request(GetParam(), "sm_120"));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->code.code.kind, CodeKind::Ptx);
  EXPECT_EQ(found->code.architecture, "compute_90");
}

TEST(PackedCodeOfLibraries, AKernelOfANeededLibraryIsFoundThroughItsRunpath) {
  expectImage(select("_Z9inLibraryPf", request("default")), "_Z9inLibraryPf");
}

TEST(PackedCodeOfLibraries, WhatTheDeviceCannotRunIsNamed) {
  auto wanted = request("default", "sm_75");
  const auto found = select("_Z9inProgramPfi", wanted);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(found.error().message(), HasSubstr("image (sm_90), ptx (compute_90)"));
  EXPECT_THAT(found.error().message(), HasSubstr("for sm_75"));
}

TEST(PackedCodeOfLibraries, AKernelThatIsNowhereIsGone) {
  const auto found = select("_Z5otherPf", request("default"));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->obstacle, Obstacle::KernelGone);
}

TEST(PackedCodeOfLibraries, OtherParametersAreNoGoneKernel) {
  const auto found = select("_Z9inProgramPd", request("default"));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->obstacle, Obstacle::ParametersChanged);
}

TEST(PackedCodeOfLibraries, StaticTwinsAreNotGuessed) {
  const auto found = select("_Z4twinPf", request("default"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(found.error().message(), HasSubstr("twin(float*) differently"));
}

TEST(PackedCodeOfLibraries, TheRecordedImagesNeighboursTellTwinsApart) {
  const auto with = select("_Z9inProgramPfi", request("default"));
  ASSERT_TRUE(with) << with.error().message();
  FakeRecording recording;
  recording.value.kernel = "_Z4twinPf";
  recording.value.code[0].kind = CodeKind::Image;
  recording.codeBytes = with->code.code.bytes;
  const auto found = selectCode(recording, request("default"));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->code.code.bytes, with->code.code.bytes);
}

TEST(PackedCodeOfLibraries, ATemplateInTwoTranslationUnitsIsOneKernel) {
  expectImage(select("_Z6commonIfEvPT_", request("default")), "_Z6commonIfEvPT_");
}

}  // namespace
}  // namespace mneme::replay
