// SPDX-License-Identifier: Apache-2.0
/// Memory for snapshots: one reserved stretch of address space whose pages a background thread touches ahead of use and
/// which stays touched between launches. Copying into untouched pages would stop the program several times longer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "backend/host/free_space.h"

namespace mneme::host_runtime {

class ScratchPool {
 public:
  static ScratchPool& instance();

  /// Starts the background thread; once.
  void arm();
  /// nullptr where there is no room. Page aligned.
  [[nodiscard]] std::byte* take(uint64_t size);
  void give(std::byte* memory, uint64_t size);

 private:
  ScratchPool();
  void touchAhead();
  [[nodiscard]] uint64_t wanted(std::chrono::nanoseconds age) const;

  uint64_t base_ = 0, bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable taken_;
  host::FreeSpace free_;
  uint64_t touched_ = 0;  // bytes from the base that have pages
};

}  // namespace mneme::host_runtime
