// SPDX-License-Identifier: Apache-2.0
/// A shared counter that threads draw from; see parallel.h.
#include "replay/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace mneme::replay {

unsigned coreCount() { return std::max(1u, std::thread::hardware_concurrency()); }

Expected<void> parallelFor(size_t count, unsigned threads, const std::function<Expected<void>(size_t)>& work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::optional<Error> failure;
  auto drain = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) {
      auto done = work(i);
      if (done) continue;
      next = count;
      std::lock_guard lock(mutex);
      if (!failure) failure = std::move(done).error();
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min<size_t>(threads, count); ++i) helpers.emplace_back(drain);
  drain();
  for (auto& helper : helpers) helper.join();
  if (failure) return std::move(*failure);
  return {};
}

}  // namespace mneme::replay
