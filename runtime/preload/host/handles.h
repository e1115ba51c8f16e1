// SPDX-License-Identifier: Apache-2.0
/// The live handles of one kind, so that a stale or foreign one is an error and not a crash.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace mneme::host_runtime {

template <typename T>
class Handles {
 public:
  T* add(std::unique_ptr<T> object) {
    std::lock_guard lock(mutex_);
    T* handle = object.get();
    live_.emplace(handle, std::move(object));
    return handle;
  }
  bool remove(T* handle) {
    std::lock_guard lock(mutex_);
    return live_.erase(handle) != 0;
  }
  bool has(T* handle) const {
    std::lock_guard lock(mutex_);
    return live_.count(handle) != 0;
  }
  /// Calls `use(object)` under the lock; false if the handle is not live.
  template <typename Use>
  bool with(T* handle, Use&& use) {
    std::lock_guard lock(mutex_);
    auto found = live_.find(handle);
    if (found == live_.end()) return false;
    use(*found->second);
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<T*, std::unique_ptr<T>> live_;
};

}  // namespace mneme::host_runtime
