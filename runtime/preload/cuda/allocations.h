// SPDX-License-Identifier: Apache-2.0
/// The addresses that the program was seen to allocate: where to begin asking the driver for everything that is live.
/// Only a cache: sizes and kinds come from the driver, and what it does not know any more is not live. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "backend/cuda/api.h"
#include "base/launch.h"

namespace mneme::preload {

class Allocations {
 public:
  void add(uint64_t address, MemoryKind kind);
  /// Takes out what begins in [address, address+size), and returns it, so that a failed free can be undone.
  std::map<uint64_t, MemoryKind> remove(uint64_t address, uint64_t size = 1);
  void addAll(const std::map<uint64_t, MemoryKind>& allocations);
  [[nodiscard]] std::map<uint64_t, MemoryKind> all() const;
  /// Of the allocation that begins there, as the program asked for it.
  [[nodiscard]] std::optional<MemoryKind> kindAt(uint64_t address) const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, MemoryKind> known_;
};

/// The allocation that holds the address, by the driver's own register. Under OwnWork, in the context.
[[nodiscard]] std::optional<MemoryRange> resolveByDriver(const cuda::Api& api, uint64_t address,
                                                         const Allocations& allocations);

}  // namespace mneme::preload
