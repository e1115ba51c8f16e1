// SPDX-License-Identifier: Apache-2.0
/// Times work on a stream between two events, without what the host needs to put it there: a callback holds the stream
/// until the work and both events are queued, so that nothing lies between them but the work.
/// By one thread at a time. Held for 5 ms at most: work that waits for the stream itself is timed with its waiting.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "backend/cuda/api.h"
#include "base/error.h"

namespace mneme::cuda {

class Stopwatch {
 public:
  /// The context is current; it outlives this object, as does the stream.
  Stopwatch(const Api& api, CUstream stream) : api_(api), stream_(stream) {}
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  /// The next start() begins a measurement.
  void arm() { armed_ = true; }
  /// Before each piece of work is queued; the first after arm() counts, others do nothing.
  [[nodiscard]] Expected<void> start();
  /// All work is queued: lets the stream go on.
  [[nodiscard]] Expected<void> stop();
  /// Work could not be queued: lets the stream go on and forgets the measurement.
  void abandon();
  /// Nanoseconds between start and stop; 0 if nothing was started since arm(). The stream has been waited for.
  [[nodiscard]] Expected<uint64_t> nanoseconds() const;

 private:
  [[nodiscard]] Expected<void> makeEvents();
  [[nodiscard]] Expected<void> hold();

  const Api& api_;
  CUstream stream_;
  CUevent begin_ = nullptr, end_ = nullptr;
  bool armed_ = false, running_ = false, timed_ = false;
  std::shared_ptr<std::atomic<bool>> released_ = std::make_shared<std::atomic<bool>>(true);  ///< the callback's, too
};

}  // namespace mneme::cuda
