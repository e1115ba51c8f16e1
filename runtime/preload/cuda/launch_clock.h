// SPDX-License-Identifier: Apache-2.0
/// How long a recorded launch runs in the program, between two events on its own stream. A kernel of the recorder's keeps
/// the stream busy for some microseconds before, so that the host's part of the launch is not in it.
/// By the thread that records alone, under OwnWork; what fails leaves the time unknown.
#pragma once

#include <cstdint>
#include <optional>

#include "backend/cuda/api.h"

namespace mneme::preload {

class LaunchClock {
 public:
  explicit LaunchClock(const cuda::Api& api) : api_(api) {}
  LaunchClock(const LaunchClock&) = delete;
  LaunchClock& operator=(const LaunchClock&) = delete;

  /// The next thing on the stream is what is timed. `hold`: the loaded kernel mneme_hold.
  void start(CUfunction hold, CUstream stream);
  void stop(CUstream stream);
  /// Nanoseconds between the last start and stop, once the stream was waited for.
  [[nodiscard]] std::optional<uint64_t> nanoseconds() const;
  /// Gives up the events; the context still works.
  void close();

 private:
  const cuda::Api& api_;
  CUevent begin_ = nullptr, end_ = nullptr;
  bool started_ = false, stopped_ = false;
};

}  // namespace mneme::preload
