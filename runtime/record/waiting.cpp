// SPDX-License-Identifier: Apache-2.0
/// Waits use the steady clock: setting the time of day neither hangs nor cuts them short.
#include "record/waiting.h"

#include <algorithm>

namespace mneme::record {

bool DeviceGate::enter(Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (!freed_.wait_until(lock, deadline, [this] { return !busy_.load(std::memory_order_relaxed); })) return false;
  busy_.store(true, std::memory_order_release);
  intruded_ = false;
  return true;
}

bool DeviceGate::leave() {
  std::unique_lock lock(mutex_);
  busy_.store(false, std::memory_order_release);
  freed_.notify_all();
  return intruded_;
}

void DeviceGate::waitUntilFree(std::chrono::milliseconds longest) {
  if (isFree()) return;
  std::unique_lock lock(mutex_);
  if (!freed_.wait_for(lock, longest, [this] { return !busy_.load(std::memory_order_relaxed); })) intruded_ = true;
}

bool MemoryBudget::acquire(uint64_t bytes, Deadline deadline) {
  if (bytes > total_) return false;
  std::unique_lock lock(mutex_);
  if (!released_.wait_until(lock, deadline, [&] { return used_ + bytes <= total_; })) return false;
  used_ += bytes;
  mostUsed_ = std::max(mostUsed_, used_);
  return true;
}

void MemoryBudget::release(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  used_ -= bytes;
  released_.notify_all();
}

uint64_t MemoryBudget::mostUsed() const {
  std::lock_guard lock(mutex_);
  return mostUsed_;
}

bool MemoryLease::grow(uint64_t bytes, Deadline deadline) {
  if (!budget_.acquire(bytes, deadline)) return false;
  bytes_ += bytes;
  return true;
}

void MemoryLease::shrinkTo(uint64_t bytes) {
  if (bytes >= bytes_) return;
  budget_.release(bytes_ - bytes);
  bytes_ = bytes;
}

}  // namespace mneme::record
