// SPDX-License-Identifier: Apache-2.0
/// Runs one block after another on one core: which thread goes on when, and who meets whom at a synchronisation point.
/// Reused for all blocks of a core's share. Holds nothing that a jump out of a kernel could leak.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "backend/host/engine.h"

namespace mneme::host {

struct Grid;

/// Memory of one core, kept between launches.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// At least `bytes`, aligned to `alignment`; contents are kept only if it was large enough.
  unsigned char* shared(size_t bytes, size_t alignment) { return shared_.get(bytes, alignment); }
  unsigned char* frame(size_t bytes) { return frame_.get(bytes, 64); }
  uint32_t* state(size_t threads) { return reinterpret_cast<uint32_t*>(state_.get(threads * 4, 64)); }
  unsigned char* runnable(size_t threads) { return runnable_.get(threads, 64); }
  ExchangeSlot* exchange(size_t threads) { return reinterpret_cast<ExchangeSlot*>(exchange_.get(threads * sizeof(ExchangeSlot), 64)); }

 private:
  struct Buffer {
    unsigned char* get(size_t bytes, size_t alignment);
    void giveBack();
    void* memory = nullptr;
    size_t size = 0, alignment = 0;
    const char* what = nullptr;  ///< as kernels know it; null: they never see its address
  };
  Buffer shared_{.what = "shared memory"}, frame_{.what = "a local variable of a thread"}, state_, runnable_, exchange_;
};

class BlockRunner {
 public:
  BlockRunner(Grid& grid, Workspace& workspace);

  /// Starts the block whose index is in context().blockIdx, or goes on with it. False if all of its threads wait in loops
  /// for what another block has to write; then resume() goes on later. Faults leave by a jump.
  [[nodiscard]] bool start();
  [[nodiscard]] bool resume();
  /// Since the last question: did any thread do more than go round in its waiting loop?
  [[nodiscard]] bool tookStep() { return std::exchange(stepped_, false); }
  [[noreturn]] void reportEndlessWait();
  [[nodiscard]] BlockContext& context() { return block_; }

 private:
  struct Meeting;
  [[nodiscard]] PointKind pointOf(uint32_t thread) const { return kernel_.segments[block_.state[thread]].point; }
  [[nodiscard]] bool done(uint32_t thread) const { return block_.state[thread] == kThreadDone; }
  /// Runs until all threads are done, or stood still in waiting loops for that many rounds (false).
  [[nodiscard]] bool advance(unsigned mostIdleRounds);
  [[nodiscard]] bool finished() const;
  void runRunnable(uint32_t first, uint32_t last);
  void noteSteps(uint32_t first, uint32_t last, uint32_t segment);
  [[nodiscard]] bool runTogether();
  [[nodiscard]] bool sameState(uint32_t first, uint32_t last) const;
  [[nodiscard]] bool wholeWarpMeets(uint32_t first, uint32_t last);
  void settleWarp(uint32_t first);
  bool meetInWarp(uint32_t first);
  bool goOnTogether(uint32_t first);
  void exchangeInWarp(uint32_t first, uint32_t lanes, PointKind kind);
  bool meetInBlock();
  bool meetAtBarrier(uint32_t number);
  bool passArrivals();
  bool releaseWaiting();
  [[noreturn]] void reportDeadlock();

  const KernelDescriptor& kernel_;
  BlockContext block_{};
  unsigned char* runnable_ = nullptr;
  bool stepped_ = false;
  uint32_t arrived_[16] = {};  ///< threads that passed a named barrier without waiting
};

}  // namespace mneme::host
