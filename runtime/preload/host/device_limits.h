// SPDX-License-Identifier: Apache-2.0
/// What the host device says it can do; launches are checked against the same numbers that programs are told.
#pragma once

#include <cstdint>

namespace mneme::host_runtime {

inline constexpr int kMaxThreadsPerBlock = 1024;
inline constexpr int kMaxBlockX = 1024, kMaxBlockY = 1024, kMaxBlockZ = 64;
inline constexpr int64_t kMaxGridX = 2147483647, kMaxGridY = 65535, kMaxGridZ = 65535;
inline constexpr int kWarpSize = 32;
inline constexpr int kSharedBytesDefault = 48 << 10;
inline constexpr int kSharedBytesOptIn = 227 << 10;
inline constexpr int kSharedBytesPerMultiprocessor = 228 << 10;
inline constexpr int kSharedBytesReserved = 1 << 10;  ///< per block, as CUDA reserves
inline constexpr int kRegisters = 64 << 10;
inline constexpr int kThreadsPerMultiprocessor = 2048;
inline constexpr int kBlocksPerMultiprocessor = 32;
inline constexpr int kConstantBytes = 64 << 10;
inline constexpr int kMajor = 9, kMinor = 0;
inline constexpr int kPitchAlignment = 512;

}  // namespace mneme::host_runtime
