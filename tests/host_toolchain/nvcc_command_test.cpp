// SPDX-License-Identifier: Apache-2.0
/// nvcc's command lines, as build systems write them.
#include "host-toolchain/nvcc_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>

namespace mneme::host_toolchain {
namespace {

NvccCommand parse(Words words) {
  words.insert(words.begin(), "nvcc");
  auto command = parseNvcc(words);
  EXPECT_TRUE(command) << command.error().message();
  return *command;
}

bool has(const Words& words, const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); }

TEST(NvccCommand, CMakesCompileLine) {
  const auto c = parse({"-forward-unknown-to-host-compiler", "-DA=1", "-I/x", "-isystem=/y", "-O3", "-DNDEBUG",
                        "--generate-code=arch=compute_75,code=[compute_75,sm_75]", "--generate-code=arch=compute_90a,code=[sm_90a]",
                        "-std=c++17", "-Xcompiler=-fPIC", "-MD", "-MT", "k.o", "-MF", "k.d", "-x", "cu", "-rdc=true", "-c", "k.cu",
                        "-o", "k.o"});
  EXPECT_EQ(c.step, Step::Compile);
  EXPECT_EQ(c.flags, (Words{"-D", "A=1", "-I", "/x", "-isystem", "/y", "-O3", "-D", "NDEBUG", "-std=c++17", "-fPIC"}));
  EXPECT_EQ(c.dependencies, (Words{"-MD", "-MT", "k.o", "-MF", "k.d"}));
  EXPECT_EQ(c.architectures, (Words{"sm_75", "sm_90a"}));
  EXPECT_EQ(c.inputs, (Words{"k.cu"}));
  EXPECT_EQ(c.output, "k.o");
  EXPECT_TRUE(c.relocatable);
  EXPECT_TRUE(c.allAreCuda);
  EXPECT_TRUE(c.notes);
}

TEST(NvccCommand, CMakesDeviceLinkLine) {
  const auto c = parse({"-Xcompiler=-fPIC", "-Wno-deprecated-gpu-targets", "-shared", "-dlink", "a.o", "b.o", "-o", "link.o",
                        "libdev.a", "-lcudadevrt", "-L/lib"});
  EXPECT_EQ(c.step, Step::DeviceLink);
  EXPECT_EQ(c.inputs, (Words{"a.o", "b.o"}));
  EXPECT_TRUE(has(c.linkFlags, "libdev.a"));
}

TEST(NvccCommand, OptionsThatOnlyConcernGpuCodeLeaveNothing) {
  const auto c = parse({"-lineinfo", "-Xptxas", "-v,-O3", "-maxrregcount=32", "--maxrregcount", "64", "-Xcudafe",
                        "--diag_suppress=1", "--threads", "4", "-res-usage", "--expt-relaxed-constexpr", "-c", "k.cu"});
  EXPECT_EQ(c.flags, (Words{"-D__CUDACC_RELAXED_CONSTEXPR__=1"}));
  EXPECT_EQ(c.inputs, (Words{"k.cu"}));
}

TEST(NvccCommand, HostOptionsGoWhereTheyBelong) {
  const auto c = parse({"-Xcompiler", "-Wall,-fopenmp,-Wl,-rpath\\,/x", "-pthread", "-fno-strict-aliasing", "-Xlinker=-z,now", "-lm", "main.cu"});
  EXPECT_EQ(c.step, Step::Link);
  EXPECT_TRUE(has(c.flags, "-Wall") && has(c.flags, "-fopenmp") && has(c.flags, "-pthread") && has(c.flags, "-fno-strict-aliasing"));
  EXPECT_TRUE(has(c.linkFlags, "-fopenmp") && has(c.linkFlags, "-pthread") && has(c.linkFlags, "-lm") && has(c.linkFlags, "now"));
  EXPECT_FALSE(has(c.linkFlags, "-Wall"));
}

TEST(NvccCommand, FastMathIsTheDevicesAlone) {
  const auto c = parse({"-use_fast_math", "--fmad=false", "-c", "k.cu"});
  EXPECT_TRUE(has(c.flags, "-fgpu-approx-transcendentals") && has(c.flags, "-ffp-contract=off"));
  EXPECT_FALSE(has(c.flags, "-ffast-math"));
}

TEST(NvccCommand, WarningsAsErrors) {
  EXPECT_TRUE(has(parse({"-Werror", "all-warnings", "-c", "k.cu"}).flags, "-Werror"));
  EXPECT_FALSE(has(parse({"-Werror=cross-execution-space-call", "-c", "k.cu"}).flags, "-Werror"));
}

TEST(NvccCommand, ResponseFilesAreRead) {
  const std::string file = testing::TempDir() + "nvcc.rsp";
  std::ofstream(file) << "-DFROM=\"a file\" -I/there\n";
  const auto c = parse({"--options-file", file, "-c", "k.cu"});
  EXPECT_TRUE(has(c.flags, "FROM=a file") && has(c.flags, "/there"));
}

TEST(NvccCommand, RefusesWhatTheCpuDeviceCannotHave) {
  for (const char* option : {"-cubin", "--fatbin", "-optix-ir"}) {
    const auto refused = parseNvcc({"nvcc", option, "k.cu"});
    ASSERT_FALSE(refused) << option;
    EXPECT_EQ(refused.error().code(), ErrorCode::Unsupported);
    EXPECT_NE(refused.error().message().find(option), std::string::npos);
  }
}

TEST(NvccCommand, AnOptionWithoutItsValueIsAnError) {
  const auto refused = parseNvcc({"nvcc", "-c", "k.cu", "-o"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "-o needs a value");
}

}  // namespace
}  // namespace mneme::host_toolchain
