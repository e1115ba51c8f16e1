// SPDX-License-Identifier: Apache-2.0
#include "code/numeric_flags.h"

#include <gtest/gtest.h>

#include <vector>

namespace mneme::code {
namespace {

NumericFlags of(std::vector<std::string> command) { return numericFlags(command); }

TEST(NumericFlags, NvccIsPreciseAndFuses) {
  const NumericFlags flags = of({"/usr/local/cuda/bin/nvcc", "-c", "a.cu"});
  EXPECT_EQ(flags, (NumericFlags{true, true, false, true, false}));
  EXPECT_EQ(of({}), flags);
}

TEST(NumericFlags, ClangsSquareRootsAreApproximate) {
  EXPECT_FALSE(of({"clang++-22", "-x", "cuda", "a.cu"}).preciseSqrt);
  EXPECT_TRUE(of({"clang++-22", "-fcuda-prec-sqrt", "a.cu"}).preciseSqrt);
}

TEST(NumericFlags, BothSpellingsOfNvccFlags) {
  EXPECT_FALSE(of({"nvcc", "-prec-sqrt=false"}).preciseSqrt);
  EXPECT_FALSE(of({"nvcc", "--prec-div", "false"}).preciseDivision);
  EXPECT_TRUE(of({"nvcc", "-ftz=true"}).flushToZero);
  EXPECT_FALSE(of({"nvcc", "--fmad=false"}).fuse);
}

TEST(NumericFlags, FastMathSetsAllAndLaterFlagsWin) {
  EXPECT_EQ(of({"nvcc", "-use_fast_math"}), (NumericFlags{false, false, true, true, true}));
  EXPECT_TRUE(of({"nvcc", "--use_fast_math", "-prec-sqrt=true"}).preciseSqrt);
  EXPECT_FALSE(of({"nvcc", "-prec-sqrt=true", "--use_fast_math"}).preciseSqrt);
}

TEST(NumericFlags, LaunchersBeforeTheCompilerAreSkipped) {
  EXPECT_TRUE(of({"/usr/bin/ccache", "nvcc", "-c"}).preciseSqrt);
  EXPECT_FALSE(of({"ccache", "/usr/bin/clang++", "-c"}).preciseSqrt);
}

TEST(NumericFlags, AFileThatIsNamedLikeACompilerDoesNotCount) {
  EXPECT_TRUE(of({"nvcc", "-c", "clang.cu"}).preciseSqrt);
}

}  // namespace
}  // namespace mneme::code
