// SPDX-License-Identifier: Apache-2.0
/// What the recorder keeps in each of the program's contexts: an own non-blocking stream, own kernels, pinned memory.
/// Made once a context is in use, never at its first launch; given up before the context ends. Waits have deadlines.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backend/cuda/api.h"
#include "base/error.h"
#include "base/launch.h"
#include "preload/cuda/launch_clock.h"

namespace mneme::preload {

using Clock = std::chrono::steady_clock;
extern const char kSnapshotKernels[];  ///< PTX text

/// Pinned memory and a stream of its own for one reader at a time, and what was read ahead into it.
class Reader {
 public:
  static constexpr uint64_t kWindowBytes = uint64_t{4} << 20;

  [[nodiscard]] static Expected<std::unique_ptr<Reader>> make(const cuda::Api& api);
  ~Reader();
  /// Device memory to host memory; `readable` bytes from `address` on exist and belong to `block`, a number that is never
  /// used again and whose memory never changes (0: it may change, nothing is read ahead). The context is current.
  [[nodiscard]] Expected<void> read(uint64_t block, uint64_t address, std::span<std::byte> bytes, uint64_t readable);
  [[nodiscard]] bool holds(uint64_t block, uint64_t address, uint64_t size) const;

 private:
  explicit Reader(const cuda::Api& api) : api_(api) {}
  const cuda::Api& api_;
  CUstream stream_ = nullptr;
  std::byte* window_ = nullptr;
  uint64_t windowBlock_ = 0, windowAddress_ = 0, windowSize_ = 0;
};

class Context {
 public:
  /// The context is current and no capture is open; call under OwnWork.
  [[nodiscard]] static Expected<std::shared_ptr<Context>> make(const cuda::Api& api, CUcontext context);
  ~Context();

  [[nodiscard]] const cuda::Api& api() const { return api_; }
  [[nodiscard]] CUcontext handle() const { return context_; }
  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] CUstream stream() const { return stream_; }
  [[nodiscard]] CUfunction compareKernel() const { return compare_; }
  [[nodiscard]] CUfunction gatherKernel() const { return gather_; }
  [[nodiscard]] CUfunction reachKernel() const { return reach_; }
  [[nodiscard]] CUfunction holdKernel() const { return hold_; }
  [[nodiscard]] LaunchClock& clock() { return clock_; }

  /// Code that uses the device heap is being launched in this context.
  void noteHeapUse() { usesHeap_.store(true, std::memory_order_relaxed); }
  /// Where the device heap is, or null while nothing uses it. By the thread that records alone, under OwnWork. The
  /// driver tells nobody: a kernel of the recorder's own asks the heap for memory once, and gives it back.
  [[nodiscard]] Expected<std::optional<MemoryRange>> heap(Clock::time_point deadline);

  /// The context is about to end, and still works: gives up all that is in it.
  void close();
  /// The context is gone: nothing here may be used any more.
  void markEnded() { ended_.store(true); }
  [[nodiscard]] bool ended() const { return ended_.load(); }

  /// Waits until everything put on `stream` so far is done. Unavailable at the deadline; the stream goes on.
  [[nodiscard]] Expected<void> waitFor(CUstream stream, Clock::time_point deadline);

  /// Pinned memory of at least `size` bytes, valid until the next call; by the thread that records alone.
  [[nodiscard]] Expected<std::byte*> pinned(uint64_t size);

  /// Borrows a reader, one that has the bytes already if there is one.
  class BorrowedReader {
   public:
    BorrowedReader(Context& owner, std::unique_ptr<Reader> reader) : owner_(owner), reader_(std::move(reader)) {}
    BorrowedReader(BorrowedReader&&) = default;
    ~BorrowedReader();
    Reader* operator->() { return reader_.get(); }

   private:
    Context& owner_;
    std::unique_ptr<Reader> reader_;
  };
  [[nodiscard]] Expected<BorrowedReader> reader(uint64_t block, uint64_t address, uint64_t size);

 private:
  Context(const cuda::Api& api, CUcontext context) : api_(api), context_(context), clock_(api) {}
  [[nodiscard]] Expected<void> loadKernels();
  [[nodiscard]] Expected<uint64_t> askHeap(Clock::time_point deadline);

  const cuda::Api& api_;
  CUcontext context_;
  CUdevice device_ = 0;
  CUstream stream_ = nullptr;
  CUevent event_ = nullptr;
  CUmodule module_ = nullptr, heapModule_ = nullptr;
  CUfunction compare_ = nullptr, gather_ = nullptr, reach_ = nullptr, hold_ = nullptr;
  LaunchClock clock_;
  std::byte* pinned_ = nullptr;
  uint64_t pinnedSize_ = 0;
  std::atomic<bool> ended_{false}, usesHeap_{false};
  std::optional<MemoryRange> heap_;
  std::mutex readersMutex_;
  std::vector<std::unique_ptr<Reader>> readers_;
};

}  // namespace mneme::preload
