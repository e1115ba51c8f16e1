// SPDX-License-Identifier: Apache-2.0
/// Threads for the recorder's copies.
#include "preload/host/parallel.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "backend/host/engine.h"

namespace mneme::host_runtime {
namespace {

/// Threads started while this lives block every signal.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

void parallelFor(size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  auto loop = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> helpers;
  if (count > 1) {
    SignalsBlocked blocked;
    size_t threads = std::min<size_t>(host::coreCount(), count);
    try {
      while (helpers.size() + 1 < threads) helpers.emplace_back(loop);
    } catch (...) {  // no thread to be had: the others and this one do it
    }
  }
  loop();
  for (auto& helper : helpers) helper.join();
}

void runInBackground(std::function<void()> work) {
  SignalsBlocked blocked;
  try {
    std::thread(std::move(work)).detach();
  } catch (...) {  // then captures are slower, and nothing else
  }
}

}  // namespace mneme::host_runtime
