// SPDX-License-Identifier: Apache-2.0
/// One launch while it runs: which blocks are left, and whether it failed. Shared by the cores that work on it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "backend/host/engine.h"
#include "backend/host/engine/faults.h"

namespace mneme::host {

inline constexpr size_t kMostResidentBlocks = 4224;  ///< of one core: as many as the largest GPUs of today hold at once

struct Grid {
  Grid(const KernelDescriptor& code, const LaunchShape& size, const unsigned char* values)
      : kernel(code), shape(size), arguments(values) {}

  const KernelDescriptor& kernel;
  const LaunchShape& shape;
  const unsigned char* arguments;
  uint64_t id = 0;
  GridWorkspace workspace{sizeof(GridWorkspace), 0};  ///< of a cooperative launch
  uint64_t blocks = 0;
  uint64_t batch = 1;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stopped{false};
  std::atomic<unsigned> cores{0}, waiting{0};  ///< at work; of these, with nothing but waiting blocks
  std::atomic<uint64_t> steps{0};              ///< counted by cores that had waiting blocks
  std::mutex mutex;       ///< guards fault
  FaultRecord fault;      ///< the first
  unsigned helpers = 0;   ///< guarded by the pool
};

/// Runs the grid: at once on the calling thread, with help from the pool if it takes longer than a few microseconds.
void runGrid(Grid& grid);

}  // namespace mneme::host
