// SPDX-License-Identifier: Apache-2.0
/// The two things a launch may have to wait for, never past its deadline: its device, and memory for its snapshot.
/// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace mneme::record {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

/// One device: from snapshot to compare a single launch has it.
class DeviceGate {
 public:
  /// False: another launch still had it at the deadline.
  [[nodiscard]] bool enter(Deadline deadline);
  /// True if somebody ran into the deadline in waitUntilFree and went on: they may have written memory.
  bool leave();
  [[nodiscard]] bool isFree() const { return !busy_.load(std::memory_order_acquire); }
  /// For launches and copies that are not recorded. Cheap while the device is free.
  void waitUntilFree(std::chrono::milliseconds longest);

 private:
  std::atomic<bool> busy_{false};
  std::mutex mutex_;
  std::condition_variable freed_;
  bool intruded_ = false;
};

/// Host memory that captured bytes may take until they are written.
class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t bytes) : total_(bytes) {}

  /// False: more than there is at all, or not free by the deadline.
  [[nodiscard]] bool acquire(uint64_t bytes, Deadline deadline);
  void release(uint64_t bytes);
  [[nodiscard]] uint64_t total() const { return total_; }
  [[nodiscard]] uint64_t mostUsed() const;

 private:
  const uint64_t total_;
  mutable std::mutex mutex_;
  std::condition_variable released_;
  uint64_t used_ = 0, mostUsed_ = 0;
};

/// A share of the budget; given back at destruction.
class MemoryLease {
 public:
  explicit MemoryLease(MemoryBudget& budget) : budget_(budget) {}
  MemoryLease(const MemoryLease&) = delete;
  MemoryLease& operator=(const MemoryLease&) = delete;
  ~MemoryLease() { shrinkTo(0); }

  [[nodiscard]] bool grow(uint64_t bytes, Deadline deadline);
  void shrinkTo(uint64_t bytes);

 private:
  MemoryBudget& budget_;
  uint64_t bytes_ = 0;
};

}  // namespace mneme::record
