// SPDX-License-Identifier: Apache-2.0
/// What a callback has to know of its thread, in one block: a library that is loaded late pays for every look-up of a
/// thread's variable, and most callbacks are launches that go by.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <cuda.h>

#include "base/launch.h"

namespace mneme::preload {

/// A kernel and shape of which nothing will ever be recorded: its launches are counted and go by.
struct SettledEntry {
  CUfunction handle = nullptr;
  CUcontext context = nullptr;
  uint64_t modules = 0, contexts = 0;  ///< generations
  LaunchShape shape;
  uint32_t device = 0;
  std::atomic<uint64_t>* launches = nullptr;
};

struct ThreadState {
  static constexpr size_t kSettledEntries = 128;

  int ownWork = 0;             ///< how many OwnWork the thread is inside of
  bool loadingOwn = false;     ///< a module of the recorder's own
  bool launchPending = false;  ///< inside a launch that is being recorded
  std::array<SettledEntry, kSettledEntries> settled;

  [[nodiscard]] SettledEntry& settledFor(CUfunction handle) {
    const auto bits = reinterpret_cast<uintptr_t>(handle);
    return settled[(bits >> 4 ^ bits >> 11) % kSettledEntries];
  }
};

inline constinit thread_local ThreadState threadState;

}  // namespace mneme::preload
