// SPDX-License-Identifier: Apache-2.0
/// The blocks that one core has begun and not finished: one as a rule; more while blocks wait for each other in loops.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backend/host/engine/block_runner.h"
#include "backend/host/engine/grid.h"

namespace mneme::host {

/// Where a core gets its next block's index.
class BlockSource {
 public:
  virtual std::optional<uint64_t> next() = 0;

 protected:
  ~BlockSource() = default;
};

class ResidentBlocks {
 public:
  /// `scope.block` always names the block that runs.
  ResidentBlocks(Grid& grid, FaultScope& scope);
  ~ResidentBlocks();
  ResidentBlocks(const ResidentBlocks&) = delete;
  ResidentBlocks& operator=(const ResidentBlocks&) = delete;

  /// Runs a block to its end. False: it waits for other blocks and stays.
  [[nodiscard]] bool run(uint64_t index);
  /// Runs the waiting blocks in turn, and as many others beside them as they turn out to need, until none is left.
  /// A wait that nobody can end is a fault.
  void finishAll(BlockSource& others);

 private:
  using Clock = std::chrono::steady_clock;
  struct Seat;
  void begin(uint64_t index);
  [[nodiscard]] bool resumeEach();
  void rest();
  void countStep();

  Grid& grid_;
  FaultScope& scope_;
  BlockRunner only_;                          ///< in this core's own workspace
  bool onlyWaits_ = false;
  std::vector<std::unique_ptr<Seat>> seats_;  ///< of further blocks
  size_t taken_ = 0;                          ///< of the seats, from the front
  bool counted_ = false;                      ///< as a waiting core
  uint64_t seenSteps_ = 0;
  Clock::time_point quietSince_;
  std::chrono::seconds longestWait_{};
};

}  // namespace mneme::host
