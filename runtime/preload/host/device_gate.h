// SPDX-License-Identifier: Apache-2.0
/// Keeps other threads' device work out between a recording's two snapshots. Costs one branch while nothing records.
#pragma once

#include <chrono>

namespace mneme::host_runtime {

/// Set once, when the process's recorder starts.
void armGate() noexcept;

/// Work on device memory (launch, copy, free) of one thread. Passes at once where nothing records, or where this thread
/// holds the gate itself.
class DeviceWork {
 public:
  DeviceWork() noexcept;
  ~DeviceWork();
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

 private:
  bool held_ = false;
};

/// Waits for running work and keeps new work waiting; false past the deadline. Closed stays closed.
[[nodiscard]] bool closeGate(std::chrono::milliseconds deadline) noexcept;
/// Opens it again if this thread has closed it.
void openGate() noexcept;

}  // namespace mneme::host_runtime
