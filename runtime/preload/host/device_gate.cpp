// SPDX-License-Identifier: Apache-2.0
/// A counter of running work and one closer.
#include "preload/host/device_gate.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace mneme::host_runtime {
namespace {

std::atomic<bool> armed{false};
thread_local bool closedHere = false;

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0;
  bool closed = false;
};

Gate& gate() {
  static Gate* const only = new Gate;  // outlives every thread
  return *only;
}

}  // namespace

void armGate() noexcept { armed.store(true, std::memory_order_release); }

DeviceWork::DeviceWork() noexcept {
  if (!armed.load(std::memory_order_acquire) || closedHere) return;
  std::unique_lock lock(gate().mutex);
  gate().changed.wait(lock, [] { return !gate().closed; });
  ++gate().running;
  held_ = true;
}

DeviceWork::~DeviceWork() {
  if (!held_) return;
  std::lock_guard lock(gate().mutex);
  if (--gate().running == 0) gate().changed.notify_all();
}

bool closeGate(std::chrono::milliseconds deadline) noexcept {
  if (closedHere) return true;
  auto until = std::chrono::steady_clock::now() + deadline;
  std::unique_lock lock(gate().mutex);
  if (!gate().changed.wait_until(lock, until, [] { return !gate().closed; })) return false;
  gate().closed = true;  // from here on nothing new starts
  if (!gate().changed.wait_until(lock, until, [] { return gate().running == 0; })) {
    gate().closed = false;
    gate().changed.notify_all();
    return false;
  }
  closedHere = true;
  return true;
}

void openGate() noexcept {
  if (!closedHere) return;
  closedHere = false;
  std::lock_guard lock(gate().mutex);
  gate().closed = false;
  gate().changed.notify_all();
}

}  // namespace mneme::host_runtime
