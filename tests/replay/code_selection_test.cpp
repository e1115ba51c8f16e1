// SPDX-License-Identifier: Apache-2.0
#include "replay/code_selection.h"

#include <gtest/gtest.h>

#include "binaries.h"
#include "fakes.h"

namespace mneme::replay {
namespace {

using test::Binary;
using test::FakeRecording;

CodeRequest llvm(const Binary& binary) { return {binary.path(), std::nullopt, {CodeKind::Llvm}, ""}; }

std::string textOf(const SelectedCode& code) {
  return {reinterpret_cast<const char*>(code.code.bytes.data()), code.code.bytes.size()};
}

TEST(CodeSelection, TheRecordedCode) {
  FakeRecording recording;
  auto found = selectCode(recording, {std::nullopt, std::nullopt, {CodeKind::Image, CodeKind::Llvm}, ""});
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->code.code.kind, CodeKind::Llvm);
  EXPECT_EQ(found->code.code.bytes, recording.codeBytes);
  EXPECT_EQ(found->code.origin, "recorded code");
}

TEST(CodeSelection, ADeviceThatTakesNoneOfIt) {
  FakeRecording recording;
  auto found = selectCode(recording, {std::nullopt, CodeKind::Ptx, {CodeKind::Ptx}, ""});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::Unsupported);
  EXPECT_NE(found.error().message().find("llvm"), std::string::npos);
}

TEST(CodeSelection, BestKindFirstAndImagesOnlyOfThisArchitecture) {
  FakeRecording recording;
  Binary binary({{"a.cu", "llvm code", {"_Z3addPfi"}, CodeKind::Llvm},
                 {"a.cu", "ptx code", {"_Z3addPfi"}, CodeKind::Ptx},
                 {"a.cu", "image", {"_Z3addPfi"}, CodeKind::Image, "sm_80"}});
  CodeRequest request{binary.path(), std::nullopt, {CodeKind::Image, CodeKind::Ptx, CodeKind::Llvm}, "sm_90"};
  auto found = selectCode(recording, request);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(textOf(found->code), "ptx code");
  request.as = CodeKind::Llvm;
  EXPECT_EQ(textOf(selectCode(recording, request)->code), "llvm code");
}

TEST(CodeSelection, CodeOfALibraryIsLookedForBesideTheProgram) {
  Binary program({{"main.cu", "program's", {"_Z5otherPf"}}}), library({{"a.cu", "library's", {"_Z3addPfi"}}});
  FakeRecording recording;
  recording.value.code[0].library = "../" + program.path().parent_path().filename().string() + "/" + library.path().filename().string();
  auto found = selectCode(recording, llvm(program));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(textOf(found->code), "library's");
  recording.value.code[0].library = "lib/" + library.path().filename().string();  // moved into the program's folder
  EXPECT_EQ(selectCode(recording, llvm(program))->obstacle, Obstacle::None);
  EXPECT_EQ(selectCode(recording, llvm(library))->obstacle, Obstacle::None);
  recording.value.code[0].library = "lib/gone.so";
  found = selectCode(recording, llvm(program));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->obstacle, Obstacle::KernelGone);
  EXPECT_NE(found->reason.find("it was in lib/gone.so, which is not there"), std::string::npos) << found->reason;
}

TEST(CodeSelection, PrefersTheRecordedSource) {
  FakeRecording recording;
  recording.value.code[0].source = "src/b.cu";
  Binary binary({{"src/a.cu", "from a", {"_Z3addPfi"}}, {"../src/b.cu", "from b", {"_Z3addPfi"}}});
  EXPECT_EQ(textOf(selectCode(recording, llvm(binary))->code), "from b");
}

TEST(CodeSelection, TwoPrivateKernelsOfOneNameAreNotGuessed) {
  FakeRecording recording;
  recording.value.kernel = "_ZL3addPfi";
  Binary binary({{"a.cu", "from a", {"_ZL3addPfi"}}, {"b.cu", "from b", {"_ZL3addPfi"}}});
  auto found = selectCode(recording, llvm(binary));
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message().find("a.cu"), std::string::npos);
  EXPECT_NE(found.error().message().find("b.cu"), std::string::npos);
}

/// A static kernel: nvcc's name does not say so, clang's does.
TEST(CodeSelection, BitcodeThatAnotherCompilerSpelledOtherwiseIsFound) {
  FakeRecording recording;
  Binary binary({{"a.cu", "ptx of a", {"_Z3addPfi"}, CodeKind::Ptx},
                 {"b.cu", "llvm of b", {"_ZL3addPfi"}, CodeKind::Llvm},
                 {"a.cu", "llvm of a", {"_ZL3addPfi"}, CodeKind::Llvm}});
  auto found = selectCode(recording, llvm(binary));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(textOf(found->code), "llvm of a");
  EXPECT_EQ(found->code.kernel, "_ZL3addPfi");
}

TEST(CodeSelection, ATemplateInTwoFilesIsOneKernel) {
  FakeRecording recording;
  Binary binary({{"a.cu", "from a", {"_Z3addPfi"}}, {"b.cu", "from b", {"_Z3addPfi"}}});
  EXPECT_EQ(textOf(selectCode(recording, llvm(binary))->code), "from a");
}

TEST(CodeSelection, FindsTheOtherCompilersSpelling) {
  FakeRecording recording;
  recording.value.kernel = "_Z4statPi";
  Binary binary({{"a.cu", "code", {"_ZL4statPi"}}});
  auto found = selectCode(recording, llvm(binary));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->code.kernel, "_ZL4statPi");
}

TEST(CodeSelection, KernelGone) {
  FakeRecording recording;
  Binary binary({{"a.cu", "code", {"_Z3subPfi"}}});
  auto found = selectCode(recording, llvm(binary));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->obstacle, Obstacle::KernelGone);
  EXPECT_NE(found->reason.find("add(float*, int)"), std::string::npos);
}

TEST(CodeSelection, ParametersChangedByName) {
  FakeRecording recording;
  Binary binary({{"a.cu", "code", {"_Z3addPdi"}}});
  auto found = selectCode(recording, llvm(binary));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->obstacle, Obstacle::ParametersChanged);
  EXPECT_NE(found->reason.find("now add(double*, int)"), std::string::npos);
}

TEST(CodeSelection, AConstInAParameterIsNoChange) {
  FakeRecording recording;
  Binary binary({{"a.cu", "code", {"_Z3addPKfi"}}});
  EXPECT_EQ(selectCode(recording, llvm(binary))->obstacle, Obstacle::None);
}

TEST(CodeSelection, ABinaryWithoutCodeIsNotAGoneKernel) {
  FakeRecording recording;
  Binary binary({});
  auto found = selectCode(recording, llvm(binary));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::InvalidArgument);
}

TEST(CodeSelection, LayoutOfParameters) {
  FakeRecording recording;
  EXPECT_EQ(checkParameters(recording.value, {{0, 8}, {8, 4}}), std::nullopt);
  auto reason = checkParameters(recording.value, {{0, 8}, {8, 8}});
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("parameters changed"), std::string::npos);
}

TEST(CodeSelection, SourceLikeness) {
  EXPECT_EQ(sourceLikeness("src/a.cu", "src/./a.cu"), 3);
  EXPECT_EQ(sourceLikeness("/home/me/src/a.cu", "src/a.cu"), 2);
  EXPECT_EQ(sourceLikeness("/x/a.cu", "/y/a.cu"), 1);
  EXPECT_EQ(sourceLikeness("src/a.cu", "src/b.cu"), 0);
  EXPECT_EQ(sourceLikeness("src/aa.cu", "a.cu"), 0);
}

}  // namespace
}  // namespace mneme::replay
