// SPDX-License-Identifier: Apache-2.0
#include "code_origins.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "../code/elf_builder.h"
#include "base/file.h"

namespace mneme::cli {
namespace {

constexpr char kCode[] = "some bitcode";

/// A binary with one note: /home/me/heat/src/heat.cu, compiled in /home/me/heat/build.
class CodeOriginsTest : public testing::Test {
 protected:
  CodeOriginsTest() {
    code::Note note;
    note.kind = CodeKind::Llvm;
    note.architecture = "sm_90";
    note.source = "../src/heat.cu";
    note.directory = "/home/me/heat/build";
    note.command = {"/usr/bin/clang++", "-I/home/me/heat/include", "-DNAME=a b", "-c", "../src/heat.cu"};
    note.compiler = "clang 22.1.8";
    note.kernels = {"_Z4heatPf"};
    const auto bytes = code::test::asBytes(kCode);
    const auto encoded = code::encodeNote(note, bytes);
    EXPECT_TRUE(encoded);
    const auto elf = code::test::elfWithNote(*encoded);
    auto name = testing::TempDir() + "mneme_binary_XXXXXX";
    ::close(::mkstemp(name.data()));
    binary_ = name;
    std::ofstream(binary_, std::ios::binary).write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
  }
  ~CodeOriginsTest() override { std::filesystem::remove(binary_); }

  static format::Manifest recorded(const std::string& code, CodeKind kind = CodeKind::Llvm) {
    format::Manifest manifest;
    manifest.code.resize(1);
    manifest.code[0].kind = kind;
    manifest.code[0].architecture = "x86-64";
    manifest.code[0].hash = hash128(std::span<const std::byte>(code::test::asBytes(code)));
    return manifest;
  }

  std::filesystem::path binary_;
};

TEST_F(CodeOriginsTest, NotedCodeGetsSourceCommandAndCompiler) {
  auto manifest = recorded(kCode);
  CodeOrigins({"/no/such/binary", binary_}).describe(manifest, {});
  EXPECT_EQ(manifest.code[0].source, "/home/me/heat/src/heat.cu");
  EXPECT_EQ(manifest.code[0].command, "/usr/bin/clang++ -I/home/me/heat/include '-DNAME=a b' -c ../src/heat.cu");
  EXPECT_EQ(manifest.code[0].architecture, "sm_90");
  EXPECT_EQ(manifest.toolchain, "clang 22.1.8");
}

TEST_F(CodeOriginsTest, PathsBelowTheRootsAreRelative) {
  auto manifest = recorded(kCode);
  CodeOrigins({binary_}).describe(manifest, {"/home/me/heat", "/home"});
  EXPECT_EQ(manifest.code[0].source, "src/heat.cu");
  EXPECT_EQ(manifest.code[0].command, "/usr/bin/clang++ -Iinclude '-DNAME=a b' -c ../src/heat.cu");
}

TEST_F(CodeOriginsTest, OtherCodeStaysAsItIs) {
  for (auto manifest : {recorded("other bitcode"), recorded(kCode, CodeKind::Ptx)}) {
    CodeOrigins({binary_}).describe(manifest, {});
    EXPECT_EQ(manifest.code[0].source, "");
    EXPECT_EQ(manifest.code[0].architecture, "x86-64");
    EXPECT_EQ(manifest.toolchain, "");
  }
}

TEST_F(CodeOriginsTest, ImagesGetTheKernelsNotedCodeBesideThem) {
  const auto set = std::filesystem::path(binary_.string() + ".set");
  std::filesystem::create_directories(set / "code");
  auto manifest = recorded("an image", CodeKind::Image);
  manifest.kernel = "_Z4heatPf";
  ASSERT_TRUE(CodeOrigins({binary_}).addNotedCode(manifest, set));
  ASSERT_EQ(manifest.code.size(), 2u);
  EXPECT_EQ(manifest.code[1].kind, CodeKind::Llvm);
  EXPECT_EQ(*readText(set / "code" / manifest.code[1].file), kCode);
  CodeOrigins({binary_}).describe(manifest, {});
  EXPECT_EQ(manifest.code[1].source, "/home/me/heat/src/heat.cu");
  ASSERT_TRUE(CodeOrigins({binary_}).addNotedCode(manifest, set));
  EXPECT_EQ(manifest.code.size(), 2u);
  std::filesystem::remove_all(set);
}

TEST_F(CodeOriginsTest, AnotherKernelsCodeIsNotAdded) {
  auto manifest = recorded("an image", CodeKind::Image);
  manifest.kernel = "_Z5otherPf";
  ASSERT_TRUE(CodeOrigins({binary_}).addNotedCode(manifest, "/nowhere"));
  EXPECT_EQ(manifest.code.size(), 1u);
}

TEST(ProgramOf, IsTheCommandsFirstWord) {
  format::Manifest manifest;
  manifest.program = "build/app --steps 10";
  EXPECT_EQ(programOf(manifest), "build/app");
  manifest.program = "'my build/app' 7";
  EXPECT_EQ(programOf(manifest), "my build/app");
}

}  // namespace
}  // namespace mneme::cli
