// SPDX-License-Identifier: Apache-2.0
/// A handful of threads that claim numbers; see parallel.h.
#include "format/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace mneme::format {
namespace {

class Pieces {
 public:
  explicit Pieces(uint64_t count) : count_(count) {}

  void work(const std::function<PieceWorker()>& makeWorker) noexcept {
    try {
      auto worker = makeWorker();
      for (uint64_t n = next_++; n < count_ && !stop_; n = next_++)
        if (auto done = worker(n); !done) fail(std::move(done).error());
    } catch (const std::bad_alloc&) {
      fail(Error(ErrorCode::Io, "out of memory"));
    }
  }

  Expected<void> result() {
    if (error_) return *std::move(error_);
    return {};
  }

 private:
  void fail(Error error) {
    std::lock_guard lock(mutex_);
    stop_ = true;
    if (!error_) error_ = std::move(error);
  }

  const uint64_t count_;
  std::atomic<uint64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace

Expected<void> runPieces(unsigned threads, uint64_t count, const std::function<PieceWorker()>& makeWorker) {
  Pieces pieces(count);
  std::vector<std::thread> helpers;
  auto wanted = std::min<uint64_t>(std::max(threads, 1u), count);
  try {
    for (uint64_t i = 1; i < wanted; ++i) helpers.emplace_back([&] { pieces.work(makeWorker); });
  } catch (const std::system_error&) {
    // Fewer threads than asked for do the same work.
  }
  pieces.work(makeWorker);
  for (auto& helper : helpers) helper.join();
  return pieces.result();
}

}  // namespace mneme::format
