// SPDX-License-Identifier: Apache-2.0
/// Stream captures that the program has open, counted per device: while one is, nothing is recorded there.
/// A capture counts from the enter of its begin to the exit of its end, or until its stream is destroyed. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>

#include <cuda.h>

namespace mneme::preload {

class Captures {
 public:
  void begin(CUdevice device, CUstream stream);
  /// Also where a begin failed. Nothing happens if the stream has none open.
  void end(CUstream stream);
  [[nodiscard]] bool open(CUdevice device) const { return countOf(device).load(std::memory_order_acquire) > 0; }
  [[nodiscard]] bool openAnywhere() const { return total_.load(std::memory_order_acquire) > 0; }
  [[nodiscard]] bool capturing(CUstream stream) const;

 private:
  static constexpr size_t kMaxDevices = 64;
  [[nodiscard]] std::atomic<int>& countOf(CUdevice device) const {
    return counts_[static_cast<size_t>(device) % kMaxDevices];
  }
  mutable std::array<std::atomic<int>, kMaxDevices> counts_{};
  std::atomic<int> total_{0};
  mutable std::mutex mutex_;
  std::map<CUstream, CUdevice> streams_;
};

}  // namespace mneme::preload
