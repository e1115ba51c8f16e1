// SPDX-License-Identifier: Apache-2.0
/// Expected numbers are those of cudaOccupancyMaxActiveBlocksPerMultiprocessor's rules, worked out by hand.
#include "code/occupancy.h"

#include <gtest/gtest.h>

namespace mneme::code {
namespace {

KernelStatistics kernel(const char* architecture, uint32_t registers, uint64_t shared = 0) {
  KernelStatistics statistics;
  statistics.architecture = architecture;
  statistics.registers = registers;
  statistics.sharedBytes = shared;
  return statistics;
}

TEST(Occupancy, LimitedByThreads) {
  const auto answer = theoreticalOccupancy(kernel("sm_90", 32), 256, 0);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->blocks, 8u);
  EXPECT_EQ(answer->warps, 64u);
  EXPECT_DOUBLE_EQ(answer->fraction, 1);
  EXPECT_EQ(answer->limit, "threads");
}

TEST(Occupancy, LimitedByRegisters) {
  const auto answer = theoreticalOccupancy(kernel("sm_90", 128), 256, 0);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->blocks, 2u);
  EXPECT_DOUBLE_EQ(answer->fraction, 0.25);
  EXPECT_EQ(answer->limit, "registers");
}

TEST(Occupancy, LimitedBySharedMemoryIncludingDynamicAndReserved) {
  const auto answer = theoreticalOccupancy(kernel("sm_90", 32, 16 * 1024), 128, 48 * 1024);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->blocks, 3u) << "228 KiB hold three of 65 KiB";
  EXPECT_EQ(answer->limit, "shared memory");
}

TEST(Occupancy, LimitedByBlocks) {
  const auto answer = theoreticalOccupancy(kernel("sm_86", 16), 32, 0);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->blocks, 16u);
  EXPECT_EQ(answer->limit, "blocks");
}

TEST(Occupancy, ABlockThatDoesNotFit) {
  const auto answer = theoreticalOccupancy(kernel("sm_90", 255), 1024, 0);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->blocks, 0u);
  EXPECT_EQ(theoreticalOccupancy(kernel("sm_90", 8), 2048, 0)->blocks, 0u);
}

TEST(Occupancy, UnknownArchitecturesGetNoNumber) {
  EXPECT_FALSE(theoreticalOccupancy(kernel("sm_999", 8), 128, 0));
  EXPECT_FALSE(theoreticalOccupancy(kernel("sm_90", 8), 0, 0));
}

}  // namespace
}  // namespace mneme::code
