// SPDX-License-Identifier: Apache-2.0
/// The limits are the table "Technical Specifications per Compute Capability" of NVIDIA's CUDA programming guide.
#include "code/occupancy.h"

#include <algorithm>
#include <array>

namespace mneme::code {
namespace {

struct Limits {
  std::string_view architecture;
  uint32_t warps, blocks;
  uint64_t sharedBytes;         ///< per multiprocessor
  uint64_t reservedSharedBytes; ///< per block, the driver's
  uint64_t sharedUnit;          ///< allocation granularity
};
constexpr uint64_t kKilobyte = 1024;
constexpr std::array kLimits{
    Limits{"sm_70", 64, 32, 96 * kKilobyte, 0, 256},      Limits{"sm_75", 32, 16, 64 * kKilobyte, 0, 256},
    Limits{"sm_80", 64, 32, 164 * kKilobyte, 1024, 128},  Limits{"sm_86", 48, 16, 100 * kKilobyte, 1024, 128},
    Limits{"sm_87", 48, 16, 164 * kKilobyte, 1024, 128},  Limits{"sm_89", 48, 24, 100 * kKilobyte, 1024, 128},
    Limits{"sm_90", 64, 32, 228 * kKilobyte, 1024, 128},  Limits{"sm_100", 64, 32, 228 * kKilobyte, 1024, 128},
    Limits{"sm_103", 64, 32, 228 * kKilobyte, 1024, 128}, Limits{"sm_110", 48, 24, 228 * kKilobyte, 1024, 128},
    Limits{"sm_120", 48, 24, 100 * kKilobyte, 1024, 128}, Limits{"sm_121", 48, 24, 100 * kKilobyte, 1024, 128}};
constexpr uint32_t kWarpSize = 32, kPartitions = 4, kRegistersPerPartition = 16384, kRegisterUnit = 256;
constexpr uint32_t kMaxThreadsPerBlock = 1024;

uint64_t roundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// Registers are handed out by warp, within one of four partitions.
uint32_t blocksByRegisters(const KernelStatistics& kernel, uint32_t warpsPerBlock) {
  const uint64_t perWarp = roundUp(uint64_t{kernel.registers} * kWarpSize, kRegisterUnit);
  const uint64_t warps = perWarp == 0 ? ~0u : kRegistersPerPartition / perWarp * kPartitions;
  return static_cast<uint32_t>(warps / warpsPerBlock);
}

uint32_t blocksByShared(const KernelStatistics& kernel, uint64_t dynamicBytes, const Limits& limits) {
  const uint64_t perBlock = roundUp(kernel.sharedBytes + dynamicBytes + limits.reservedSharedBytes, limits.sharedUnit);
  return perBlock == 0 ? limits.blocks : static_cast<uint32_t>(std::min<uint64_t>(limits.sharedBytes / perBlock, limits.blocks));
}

}  // namespace

std::optional<Occupancy> theoreticalOccupancy(const KernelStatistics& kernel, uint32_t threadsPerBlock,
                                              uint64_t dynamicSharedBytes) {
  const auto limits = std::find_if(kLimits.begin(), kLimits.end(),
                                   [&](const Limits& l) { return l.architecture == kernel.architecture; });
  if (limits == kLimits.end() || threadsPerBlock == 0 || dynamicSharedBytes > uint64_t{1} << 32) return std::nullopt;
  if (threadsPerBlock > kMaxThreadsPerBlock) return Occupancy{0, 0, 0, "threads"};
  const uint32_t warps = (threadsPerBlock + kWarpSize - 1) / kWarpSize;
  const std::array<std::pair<uint32_t, std::string_view>, 4> bounds = {{
      {limits->warps / warps, "threads"}, {limits->blocks, "blocks"},
      {blocksByRegisters(kernel, warps), "registers"}, {blocksByShared(kernel, dynamicSharedBytes, *limits), "shared memory"}}};
  const auto least = *std::min_element(bounds.begin(), bounds.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return Occupancy{least.first, least.first * warps, double(least.first * warps) / limits->warps, least.second};
}

}  // namespace mneme::code
