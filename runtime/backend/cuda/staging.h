// SPDX-License-Identifier: Apache-2.0
/// Copies between pageable and device memory through pinned buffers, near the bus's speed where several threads copy at
/// once: each works in a lane of its own, a stream with a small buffer. Thread-safe once made; the context is current.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/cuda/api.h"
#include "base/error.h"

namespace mneme::cuda {

class Staging {
 public:
  explicit Staging(const Api& api) : api_(api) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  /// The bytes are copied away on return; they have reached the device after settle(). One write is one piece of memory
  /// to the driver: writes to neighbouring variables are never joined.
  [[nodiscard]] Expected<void> write(uint64_t address, std::span<const std::byte> bytes);
  /// Sees everything written before.
  [[nodiscard]] Expected<void> read(uint64_t address, std::span<std::byte> bytes);
  /// Waits for all writes; before anything else touches the memory.
  [[nodiscard]] Expected<void> settle();

 private:
  static constexpr uint64_t kHalfBytes = uint64_t{512} << 10;
  struct Lane {
    CUstream stream = nullptr;
    std::byte* bytes = nullptr;           ///< two halves: one is filled while the other travels
    std::array<CUevent, 2> travelled{};   ///< of each half
    size_t half = 0;
    uint64_t used = 0;                    ///< of the half
  };
  class Borrowed;
  [[nodiscard]] Expected<std::unique_ptr<Lane>> makeLane() const;
  [[nodiscard]] Expected<void> nextHalf(Lane& lane) const;
  [[nodiscard]] Expected<Borrowed> borrow();
  void destroy(Lane& lane) const;

  const Api& api_;
  std::atomic<bool> unsettled_{false};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< not borrowed
};

}  // namespace mneme::cuda
