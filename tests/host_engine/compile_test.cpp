// SPDX-License-Identifier: Apache-2.0
/// How often the compiler is started, and what it leaves behind.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support.h"

namespace mneme::host::test {
namespace {

namespace fs = std::filesystem;

/// The real compiler behind a script that writes a line for each start; an empty cache beside it.
class CountedCompiler {
 public:
  CountedCompiler() : folder_(fs::path(::testing::TempDir()) / ("mneme-count-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    auto script = folder_ / "hostcc";
    std::ofstream(script) << "#!/bin/sh\necho x >> '" << (folder_ / "starts").string() << "'\nexec '" MNEME_TEST_HOSTCC "' \"$@\"\n";
    ::chmod(script.c_str(), 0755);
    ::setenv("MNEME_HOSTCC", script.c_str(), 1);
  }
  ~CountedCompiler() {
    ::unsetenv("MNEME_HOSTCC");
    fs::remove_all(folder_);
  }
  [[nodiscard]] int starts() const {
    std::ifstream file(folder_ / "starts");
    int lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }

 private:
  fs::path folder_;
};

constexpr const char* kTwoKernels = R"(__device__ int base = 4; extern "C" __global__ void k(int* out) { out[0] = base + 1; }
    extern "C" __global__ void other(int* out) { out[0] = base + 2; } extern "C" __global__ void bad(int* out) { asm volatile("mma.something;"); })";

TEST(Compile, OneStartMakesVariablesAndTheFirstKernel) {
  auto bitcode = compileCuda(kTwoKernels);
  CountedCompiler compiler;
  auto module = loadModule(bitcode, {}, "k");
  ASSERT_TRUE(module) << module.error().message();
  int out = 0;
  EXPECT_RUNS(launch(**module, "k", shape({1}, {1}), &out));
  EXPECT_EQ(out, 5);
  EXPECT_EQ(compiler.starts(), 1);
  EXPECT_RUNS(launch(**module, "other", shape({1}, {1}), &out));
  EXPECT_EQ(out, 6);
  EXPECT_EQ(compiler.starts(), 2);
}

TEST(Compile, AFirstKernelThatIsRefusedLeavesTheModuleUsable) {
  auto bitcode = compileCuda(kTwoKernels);
  CountedCompiler compiler;
  auto module = loadModule(bitcode, {}, "bad");
  ASSERT_TRUE(module) << module.error().message();
  auto refused = (*module)->kernel("bad");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::Unsupported);
  int out = 0;
  EXPECT_RUNS(launch(**module, "k", shape({1}, {1}), &out));
  EXPECT_EQ(out, 5);
}

TEST(Compile, TellsHowThreadsShareACoreWithoutLoadingAnything) {
  auto bitcode = compileCuda(R"(extern "C" __global__ void plain(int* out) { out[Index::tx()] = 1; }
    extern "C" __global__ void meets(int* out) { out[Index::tx()] = 1; __syncthreads(); out[Index::tx()] += out[0]; })");
  EXPECT_EQ(threadModel(bitcode, "plain").value_or("?"), "loop");
  EXPECT_EQ(threadModel(bitcode, "meets").value_or("?"), "segments (2)");
  auto missing = threadModel(bitcode, "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::NotFound) << missing.error().message();
  auto refused = threadModel(compileCuda(kTwoKernels), "bad");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::Unsupported);
}

}  // namespace
}  // namespace mneme::host::test
