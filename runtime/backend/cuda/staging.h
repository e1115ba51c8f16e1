// SPDX-License-Identifier: Apache-2.0
/// Copies between pageable and device memory through pinned buffers, near the bus's speed: neighbouring writes are
/// joined, uploads overlap with filling the next buffer, small reads are served from a window read ahead.
/// One thread at a time; everything runs on one stream, whose order is the order of calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/cuda/api.h"
#include "base/error.h"

namespace mneme::cuda {

class Staging {
 public:
  Staging(const Api& api, CUstream stream) : api_(api), stream_(stream) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  [[nodiscard]] Expected<void> prepare();
  /// The bytes are copied away on return; they reach the device with the next flush() or sooner.
  [[nodiscard]] Expected<void> write(uint64_t address, std::span<const std::byte> bytes);
  /// `readable`: bytes from `address` on that may be read ahead; at least bytes.size().
  [[nodiscard]] Expected<void> read(uint64_t address, std::span<std::byte> bytes, uint64_t readable);
  /// Sends what was written; before anything else is put on the stream.
  [[nodiscard]] Expected<void> flush();
  /// Device memory changes by other means: what was read ahead is stale.
  void forget() { windowSize_ = 0; }

 private:
  static constexpr uint64_t kBufferBytes = uint64_t{8} << 20;
  struct Buffer {
    std::byte* bytes = nullptr;
    CUevent done = nullptr;
  };
  [[nodiscard]] Expected<void> nextBuffer();
  [[nodiscard]] Expected<void> readLarge(uint64_t address, std::span<std::byte> bytes);
  [[nodiscard]] Expected<void> startRead(Buffer& buffer, uint64_t address, uint64_t size);

  const Api& api_;
  CUstream stream_;
  std::array<Buffer, 4> buffers_;
  size_t current_ = 0;
  uint64_t pendingAddress_ = 0, pendingStart_ = 0, pendingSize_ = 0;  ///< in buffers_[current_], not yet sent
  uint64_t usedBytes_ = 0;                                            ///< of buffers_[current_], sent or not
  Buffer window_;
  uint64_t windowAddress_ = 0, windowSize_ = 0;
};

}  // namespace mneme::cuda
