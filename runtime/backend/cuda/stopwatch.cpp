// SPDX-License-Identifier: Apache-2.0
/// A launch may itself wait for the device (a larger stack, memory for printf): hence the limit on holding the stream.
#include "backend/cuda/stopwatch.h"

#include <chrono>
#include <thread>
#include <utility>

namespace mneme::cuda {
namespace {
constexpr std::chrono::milliseconds kLongestHold{5};

using Flag = std::shared_ptr<std::atomic<bool>>;

/// Runs on a thread of the driver's, which must not call the driver. Sleeping would cost the release tens of
/// microseconds, during which the device could leave its working clock.
void CUDA_CB waitUntilReleased(void* data) {
  const std::unique_ptr<Flag> released(static_cast<Flag*>(data));
  const auto limit = std::chrono::steady_clock::now() + kLongestHold;
  while (!(*released)->load(std::memory_order_acquire) && std::chrono::steady_clock::now() < limit)
    std::this_thread::yield();
}

}  // namespace

Stopwatch::~Stopwatch() {
  abandon();
  for (const CUevent event : {begin_, end_})
    if (event) api_.cuEventDestroy(event);
}

Expected<void> Stopwatch::makeEvents() {
  for (CUevent* event : {&begin_, &end_})
    if (!*event)
      if (auto ok = api_.check(api_.cuEventCreate(event, CU_EVENT_DEFAULT), "cuEventCreate"); !ok) return ok;
  return {};
}

Expected<void> Stopwatch::hold() {
  released_->store(false, std::memory_order_release);
  auto flag = std::make_unique<Flag>(released_);
  auto held = api_.check(api_.cuLaunchHostFunc(stream_, waitUntilReleased, flag.get()), "cuLaunchHostFunc");
  if (held) static_cast<void>(flag.release());  // the callback's now
  else released_->store(true, std::memory_order_release);
  return held;
}

Expected<void> Stopwatch::start() {
  if (!std::exchange(armed_, false)) return {};
  if (auto ok = makeEvents(); !ok) return ok;
  if (auto ok = hold(); !ok) return ok;
  running_ = true;
  return api_.check(api_.cuEventRecord(begin_, stream_), "cuEventRecord");
}

Expected<void> Stopwatch::stop() {
  armed_ = false;
  timed_ = std::exchange(running_, false);
  const auto ended = timed_ ? api_.check(api_.cuEventRecord(end_, stream_), "cuEventRecord") : Expected<void>();
  released_->store(true, std::memory_order_release);
  return ended;
}

void Stopwatch::abandon() {
  armed_ = running_ = false;
  released_->store(true, std::memory_order_release);
}

Expected<uint64_t> Stopwatch::nanoseconds() const {
  if (!timed_) return uint64_t{0};
  float milliseconds = 0;
  if (auto ok = api_.check(api_.cuEventElapsedTime(&milliseconds, begin_, end_), "cuEventElapsedTime"); !ok)
    return std::move(ok).error();
  return static_cast<uint64_t>(milliseconds * 1e6);
}

}  // namespace mneme::cuda
