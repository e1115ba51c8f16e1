// SPDX-License-Identifier: Apache-2.0
/// Takes finished sessions to disk on a thread of its own, one after another; compression runs on the writer's threads.
/// Its length is bounded by the sessions' memory leases. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "format/recording_set.h"
#include "record/report.h"
#include "record/session.h"

namespace mneme::record {

class WriterQueue {
 public:
  /// `alreadyWritten`: bytes of this process's earlier writers, which count towards the limit.
  using OpenWriter = std::function<Expected<std::unique_ptr<format::SetWriter>>(uint64_t alreadyWritten)>;

  /// Nothing is opened and no thread runs before the first push.
  WriterQueue(OpenWriter open, Report& report) : open_(std::move(open)), report_(report) {}
  /// Waits for what is queued.
  ~WriterQueue();
  WriterQueue(const WriterQueue&) = delete;
  WriterQueue& operator=(const WriterQueue&) = delete;

  void push(std::unique_ptr<Session> session);
  /// Everything pushed before is on disk and flushed, or reported, on return. False: not so in that time.
  bool drain(std::chrono::milliseconds longest = std::chrono::hours(24));
  /// Async-signal-safe: waits until nothing waits to be written, ten seconds at most.
  void settleInSignal() const noexcept;
  /// The set cannot be written: further recordings would fail likewise.
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  void run();
  void write(Session& session) noexcept;
  [[nodiscard]] Expected<void> add(Session& session);
  [[nodiscard]] Expected<void> addCode(Session& session);
  void reportFailure(const Session& session, const Error& error);

  const OpenWriter open_;
  Report& report_;
  std::atomic<bool> failed_{false};
  std::atomic<uint64_t> unwritten_{0};  ///< pushed and not yet written or reported

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Session>> waiting_;
  bool busy_ = false, stopping_ = false;
  std::thread thread_;

  std::mutex writing_;  ///< guards what follows
  std::unique_ptr<format::SetWriter> writer_;
  uint64_t bytesWritten_ = 0;  ///< by writers that are finished
};

}  // namespace mneme::record
