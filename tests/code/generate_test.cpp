// SPDX-License-Identifier: Apache-2.0
/// The seam as its callers use it: bytes in, code out, many threads, a cache. What the passes do is in ir/*.ll.
#include "code/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "code/kernel_statistics.h"
#include "code/temporary_folder.h"

namespace mneme::code {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string bitcode(const std::string& ir) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const auto module = llvm::parseAssemblyString("target triple = \"nvptx64-nvidia-cuda\"\n" + ir, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (module) llvm::WriteBitcodeToFile(*module, stream);
  return bytes;
}

constexpr char kScale[] = R"(
@gain = internal addrspace(1) global float 1.0, align 4
define ptx_kernel void @scale(ptr %x, i32 %n, float %a) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = getelementptr float, ptr %x, i32 %i
  %old = load float, ptr %at
  %g = load float, ptr addrspace(1) @gain
  %ag = fmul float %a, %g
  %new = fmul float %old, %ag
  store float %new, ptr %at
  %next = add i32 %i, 1
  br label %head
done:
  ret void
}
)";

class Generate : public testing::Test {
 protected:
  Generate() : bytes_(bitcode(kScale)), modules_{{std::as_bytes(std::span(bytes_)), "scale.cu"}} {
    input_.modules = modules_;
    input_.kernel = "scale";
    input_.target.architecture = "sm_90";
    input_.cache = false;
  }
  std::string bytes_;
  std::vector<BitcodeModule> modules_;
  GenerateInput input_;
};

TEST_F(Generate, SaysWhatTheCodeExpects) {
  const auto code = generate(input_);
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(code->kernel, "scale");
  EXPECT_EQ(code->parameters, (std::vector<ParameterSlot>{{0, 8}, {8, 4}, {12, 4}}));
  ASSERT_EQ(code->variables.size(), 1u);
  EXPECT_EQ(code->variables[0].name, "gain");
  EXPECT_EQ(code->variables[0].size, 4u);
  EXPECT_TRUE(code->image.empty());
}

TEST_F(Generate, AssemblesWhereSomethingCan) {
  input_.assemble = true;
  const auto code = generate(input_);
  ASSERT_TRUE(code) << code.error().message();
  if (code->image.empty()) GTEST_SKIP() << code->log;
  const auto statistics = imageStatistics(code->image);
  ASSERT_TRUE(statistics) << statistics.error().message();
  ASSERT_EQ(statistics->size(), 1u);
  EXPECT_EQ((*statistics)[0].kernel, "scale");
  EXPECT_EQ((*statistics)[0].parameterBytes, 16u);
}

TEST_F(Generate, ManyThreadsGiveTheSameAnswersAsOne) {
  std::vector<Specialisation> candidates(12);
  for (uint32_t i = 0; i < candidates.size(); ++i) {
    candidates[i].maxRegisters = 32 + 8 * i;
    if (i % 3 == 0) candidates[i].unroll = 1 + i;
    if (i % 4 == 1) candidates[i].options = {"unroll-threshold=" + std::to_string(i)};
  }
  const auto one = [&](const Specialisation& candidate) {
    GenerateInput input = input_;
    input.specialisation = candidate;
    const auto code = generate(input);
    return code ? code->ptx : code.error().message();
  };
  std::vector<std::string> alone, together(candidates.size());
  for (const Specialisation& candidate : candidates) alone.push_back(one(candidate));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < candidates.size(); ++i)
    threads.emplace_back([&, i] { together[i] = one(candidates[i]); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, alone);
  EXPECT_THAT(alone[1], HasSubstr(".maxnreg 40"));
}

TEST_F(Generate, OptionsDoNotOutliveTheirCompilation) {
  const auto before = generate(input_);
  input_.specialisation.options = {"disable-nvptx-load-store-vectorizer", "unroll-threshold=0", "nvptx-short-ptr"};
  (void)generate(input_).has_value();
  input_.specialisation.options.clear();
  const auto after = generate(input_);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->ptx, after->ptx);
}

TEST_F(Generate, CachedCodeIsTheSameAndAnythingElseIsAMiss) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  ::setenv("MNEME_CACHE_DIR", folder->path().c_str(), 1);
  input_.cache = true;
  input_.pins = {{"gain", 0x1000}};
  const auto first = generate(input_), second = generate(input_);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->fromCache);
  EXPECT_TRUE(second->fromCache);
  EXPECT_EQ(first->ptx, second->ptx);
  EXPECT_EQ(first->parameters, second->parameters);
  ASSERT_EQ(second->variables.size(), 1u);
  EXPECT_TRUE(second->variables[0].pinned);
  EXPECT_EQ(first->log, second->log);

  input_.pins[0].address = 0x2000;
  EXPECT_FALSE(generate(input_)->fromCache);
  input_.specialisation.fastMath = kNoNans;
  EXPECT_FALSE(generate(input_)->fromCache);
  input_.target.ptxVersion = 84;
  EXPECT_FALSE(generate(input_)->fromCache);
  for (const auto& entry : std::filesystem::directory_iterator(folder->path() / "code"))
    ASSERT_TRUE(writeAtomically(entry.path(), std::string_view("damaged")));
  EXPECT_FALSE(generate(input_)->fromCache) << "a damaged file is no hit";
  ::unsetenv("MNEME_CACHE_DIR");
}

TEST_F(Generate, RefusesWhatIsNoBitcode) {
  for (const std::string& bytes : {std::string(), std::string("garbage"), bytes_.substr(0, bytes_.size() / 2)}) {
    const std::vector<BitcodeModule> modules = {{std::as_bytes(std::span(bytes)), "broken.cu"}};
    input_.modules = modules;
    const auto code = generate(input_);
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code(), ErrorCode::CorruptRecording);
    EXPECT_THAT(code.error().message(), HasSubstr("broken.cu"));
  }
}

/// The producer's name stands in six-bit characters, at any bit.
void replaceSixBitText(std::string& bytes, const std::string& from, const std::string& to) {
  const auto code = [](char c) -> unsigned {
    if (c >= 'a' && c <= 'z') return c - 'a';
    if (c >= 'A' && c <= 'Z') return c - 'A' + 26;
    return c == '.' ? 62 : c - '0' + 52;
  };
  const auto bit = [&](size_t at) { return static_cast<unsigned char>(bytes[at / 8]) >> at % 8 & 1u; };
  const auto same = [&](size_t at) {
    for (size_t i = 0; i < from.size() * 6; ++i)
      if (bit(at + i) != (code(from[i / 6]) >> i % 6 & 1u)) return false;
    return true;
  };
  for (size_t at = 0; at + from.size() * 6 <= bytes.size() * 8; ++at) {
    if (!same(at)) continue;
    for (size_t i = 0; i < to.size() * 6; ++i) {
      const auto mask = static_cast<char>(1u << (at + i) % 8);
      char& byte = bytes[(at + i) / 8];
      byte = (code(to[i / 6]) >> i % 6 & 1u) ? static_cast<char>(byte | mask) : static_cast<char>(byte & ~mask);
    }
    return;
  }
  ADD_FAILURE() << "no " << from << " in the bitcode";
}

TEST_F(Generate, NewerBitcodeIsRefusedWithBothVersions) {
  replaceSixBitText(bytes_, "LLVM" + llvmVersion().substr(0, 2), "LLVM99");
  const auto code = generate(input_);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(code.error().message(), HasSubstr("LLVM99"));
  EXPECT_THAT(code.error().message(), HasSubstr(llvmVersion()));
}

TEST_F(Generate, AnArchiveWithoutTheKernelIsNotFound) {
  input_.kernel = "nosuch";
  const auto code = generate(input_);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code(), ErrorCode::NotFound);
  input_.modules = {};
  EXPECT_FALSE(generate(input_));
}

/// Of 20 000 functions only the kernel's are read: far below what reading all takes.
TEST(GenerateLarge, FindsOneKernelQuickly) {
  std::string ir = kScale;
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    ir += "define ptx_kernel void @other" + n + "(ptr %x, i32 %n) {\n";
    for (int j = 0; j < 6; ++j) ir += "  store volatile i32 " + std::to_string(i + j) + ", ptr %x\n";
    ir += "  ret void\n}\n";
  }
  const std::string bytes = bitcode(ir);
  const std::vector<BitcodeModule> modules = {{std::as_bytes(std::span(bytes)), "large.cu"}};
  GenerateInput input;
  input.modules = modules;
  input.kernel = "scale";
  input.target.architecture = "sm_90";
  input.cache = false;
  const auto code = generate(input);
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_THAT(code->ptx, HasSubstr(".entry scale("));
  EXPECT_THAT(code->ptx, Not(HasSubstr("other")));
}

}  // namespace
}  // namespace mneme::code
