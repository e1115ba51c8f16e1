// SPDX-License-Identifier: Apache-2.0
/// Turns among blocks that wait. A fault jumps out of any of these functions: they hold nothing that a jump would leak.
#include "backend/host/engine/resident_blocks.h"

#include <sched.h>

#include <cstdlib>

namespace mneme::host {
namespace {

void placeBlock(BlockContext& block, uint64_t index) {
  const uint64_t row = index / block.gridDim[0];
  block.blockIdx[0] = static_cast<uint32_t>(index % block.gridDim[0]);
  block.blockIdx[1] = static_cast<uint32_t>(row % block.gridDim[1]);
  block.blockIdx[2] = static_cast<uint32_t>(row / block.gridDim[1]);
}

Workspace& ownWorkspace() {
  static thread_local Workspace instance;
  return instance;
}

/// How long all cores may do nothing but wait. MNEME_HOST_WAIT_SECONDS is for kernels that need more.
std::chrono::seconds longestWait() {
  const char* text = std::getenv("MNEME_HOST_WAIT_SECONDS");
  const long asked = text ? std::strtol(text, nullptr, 10) : 0;
  return std::chrono::seconds(asked > 0 ? asked : 10);
}

}  // namespace

struct ResidentBlocks::Seat {
  explicit Seat(Grid& grid) : runner(grid, workspace) {}
  Workspace workspace;
  BlockRunner runner;
};

ResidentBlocks::ResidentBlocks(Grid& grid, FaultScope& scope)
    : grid_(grid), scope_(scope), only_(grid, ownWorkspace()) {
  grid_.cores.fetch_add(1);
}

ResidentBlocks::~ResidentBlocks() {
  if (counted_) grid_.waiting.fetch_sub(1);
  grid_.cores.fetch_sub(1);
}

bool ResidentBlocks::run(uint64_t index) {
  scope_.block = &only_.context();
  placeBlock(only_.context(), index);
  onlyWaits_ = !only_.start();
  return !onlyWaits_;
}

void ResidentBlocks::finishAll(BlockSource& others) {
  while ((onlyWaits_ || taken_ > 0) && !grid_.stopped.load(std::memory_order_relaxed)) {
    if (resumeEach()) countStep();
    else if (auto index = taken_ < kMostResidentBlocks ? others.next() : std::nullopt) begin(*index);
    else rest();
  }
  countStep();
}

/// One more block beside those that wait.
void ResidentBlocks::begin(uint64_t index) {
  if (taken_ == seats_.size()) seats_.push_back(std::make_unique<Seat>(grid_));
  auto& runner = seats_[taken_]->runner;
  scope_.block = &runner.context();
  placeBlock(runner.context(), index);
  if (!runner.start()) ++taken_;
  countStep();
}

/// True if any block did more than wait.
bool ResidentBlocks::resumeEach() {
  bool stepped = false;
  if (onlyWaits_) {
    scope_.block = &only_.context();
    onlyWaits_ = !only_.resume();
    stepped = !onlyWaits_ || only_.tookStep();
  }
  for (size_t i = 0; i < taken_;) {
    auto& runner = seats_[i]->runner;
    scope_.block = &runner.context();
    const bool finished = runner.resume();
    stepped |= finished || runner.tookStep();
    if (finished) std::swap(seats_[i], seats_[--taken_]);
    else ++i;
  }
  return stepped;
}

void ResidentBlocks::countStep() {
  grid_.steps.fetch_add(1);
  if (!counted_) return;
  counted_ = false;
  grid_.waiting.fetch_sub(1);
}

/// Nothing to do until another core takes a step; if none does for long, there is nobody to wait for.
void ResidentBlocks::rest() {
  if (!counted_) {
    counted_ = true;
    longestWait_ = longestWait();
    grid_.waiting.fetch_add(1);
    quietSince_ = Clock::now();
  }
  const uint64_t steps = grid_.steps.load();
  const bool others = steps != seenSteps_ || grid_.waiting.load() < grid_.cores.load();
  if (others) quietSince_ = Clock::now();
  seenSteps_ = steps;
  if (!others && Clock::now() - quietSince_ > longestWait_) (onlyWaits_ ? only_ : seats_[0]->runner).reportEndlessWait();
  sched_yield();
}

}  // namespace mneme::host
