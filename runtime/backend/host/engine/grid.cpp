// SPDX-License-Identifier: Apache-2.0
/// The cores' shares of a grid, and the pool of threads that help.
#include "backend/host/engine/grid.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "backend/host/engine/places.h"
#include "backend/host/engine/resident_blocks.h"

namespace mneme::host {
namespace {

using Clock = std::chrono::steady_clock;

/// Threads that live as long as the process; a forked child starts its own.
class Pool {
 public:
  static Pool& instance();

  void publish(Grid& grid) {
    std::lock_guard lock(mutex_);
    if (threads_ == 0) start();
    grids_.push_back(&grid);
    wake_.notify_all();
  }

  /// No helper touches the grid after this.
  void retire(Grid& grid) {
    std::unique_lock lock(mutex_);
    std::erase(grids_, &grid);
    finished_.wait(lock, [&] { return grid.helpers == 0; });
  }

 private:
  void start();
  [[noreturn]] void work();

  std::mutex mutex_;
  std::condition_variable wake_, finished_;
  std::deque<Grid*> grids_;
  unsigned threads_ = 0;
};

std::atomic<Pool*> pool{nullptr};

Pool& Pool::instance() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { pool.store(nullptr); });
  (void)registered;
  auto* existing = pool.load();
  if (existing) return *existing;
  auto* made = new Pool;  // never freed: its threads run until the process ends
  if (pool.compare_exchange_strong(existing, made)) return *made;
  delete made;
  return *existing;
}

void Pool::start() {
  sigset_t all, before;
  sigfillset(&all);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, number);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's signals go to the program's threads
  for (threads_ = 0; threads_ + 1 < coreCount(); ++threads_) std::thread([this] { work(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Asks for help once the work has lasted long enough to be worth it.
class Help {
 public:
  Help(Grid& grid, bool allowed) : grid_(grid), wanted_(allowed && coreCount() > 1 && grid.blocks > 1) {
    if (wanted_) start_ = Clock::now();
  }
  void consider() {
    if (wanted_ && Clock::now() - start_ >= std::chrono::microseconds(10)) considerAtOnce();
  }
  void considerAtOnce() {
    if (!wanted_) return;
    wanted_ = false;
    if (grid_.next.load(std::memory_order_relaxed) >= grid_.blocks) return;
    Pool::instance().publish(grid_);
    published_ = true;
  }
  [[nodiscard]] bool published() const { return published_; }
  [[nodiscard]] bool deciding() const { return wanted_; }

 private:
  Grid& grid_;
  bool wanted_, published_ = false;
  Clock::time_point start_;
};

/// The blocks that one core takes, a batch at a time.
class Claims final : public BlockSource {
 public:
  Claims(Grid& grid, Help& help) : grid_(grid), help_(help) {}

  std::optional<uint64_t> next() override {
    if (batchDone()) {
      const uint64_t batch = help_.deciding() ? 1 : grid_.batch;
      at_ = std::min(grid_.blocks, grid_.next.fetch_add(batch, std::memory_order_relaxed));
      end_ = std::min(grid_.blocks, at_ + batch);
    }
    if (batchDone()) return std::nullopt;
    return at_++;
  }
  [[nodiscard]] bool batchDone() const { return at_ == end_; }

 private:
  Grid& grid_;
  Help& help_;
  uint64_t at_ = 0, end_ = 0;
};

void runShare(Grid& grid, ResidentBlocks& blocks, Help& help) {
  Claims claims(grid, help);
  while (!grid.stopped.load(std::memory_order_relaxed)) {
    auto index = claims.next();
    if (!index) break;
    if (!blocks.run(*index)) {
      help.considerAtOnce();
      blocks.finishAll(claims);
    }
    if (claims.batchDone()) help.consider();
  }
}

void keepFault(Grid& grid, FaultRecord record) {
  std::lock_guard lock(grid.mutex);
  if (grid.fault.fault == Fault::None) grid.fault = std::move(record);
  grid.stopped.store(true);
}

/// Everything a jump passes over is trivial or belongs to this function.
void work(Grid& grid, Help& help) {
  prepareFaultHandling();
  noteOwnStack();
  FaultScope scope;
  ResidentBlocks blocks(grid, scope);
  if (const int signal = sigsetjmp(scope.jump, 0); signal != 0) {
    auto* block = std::exchange(scope.block, nullptr);
    keepFault(grid, signal > 0 ? signalFault(*block) : scope.record);
    return;
  }
  runShare(grid, blocks, help);
  scope.block = nullptr;
}

void Pool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return !grids_.empty(); });
    Grid& grid = *grids_.front();
    ++grid.helpers;
    lock.unlock();
    Help none(grid, false);
    host::work(grid, none);
    lock.lock();
    std::erase(grids_, &grid);
    if (--grid.helpers == 0) finished_.notify_all();
  }
}

}  // namespace

void runGrid(Grid& grid) {
  grid.batch = std::clamp<uint64_t>(grid.blocks / (coreCount() * 16ull), 1, 4096);
  Help help(grid, true);
  work(grid, help);
  if (help.published()) Pool::instance().retire(grid);
}

}  // namespace mneme::host
