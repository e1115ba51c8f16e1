// SPDX-License-Identifier: Apache-2.0
/// What the program said about its memory through <mneme/mneme.h>: tolerances of buffers, blocks of its own pool
/// allocators, the tag of the launches of a thread. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/launch.h"
#include "format/manifest.h"

namespace mneme::record {

/// Blocks that pool allocators hand out of larger ranges; their owner looks like one region to the vendor.
class SuballocatedBlocks {
 public:
  void add(uint64_t address, uint64_t size);
  void remove(uint64_t address);

  /// Each range with blocks in it replaced by those blocks.
  [[nodiscard]] std::vector<MemoryRange> split(const std::vector<MemoryRange>& ranges) const;
  /// The block of `range` that holds the address; `range` itself if it has no blocks; nullopt: between its blocks.
  [[nodiscard]] std::optional<MemoryRange> narrow(const MemoryRange& range, uint64_t address) const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, uint64_t> blocks_;  ///< address -> size
};

class BufferAnnotations {
 public:
  /// A later one for the same address replaces.
  void set(uint64_t address, format::Annotation annotation);
  /// The one with the lowest address in the range.
  [[nodiscard]] std::optional<format::Annotation> find(const MemoryRange& range) const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, format::Annotation> byAddress_;
};

/// The process's own; they outlive static destructors.
[[nodiscard]] SuballocatedBlocks& suballocatedBlocks();
[[nodiscard]] BufferAnnotations& bufferAnnotations();
/// The calling thread's open tags, outermost first, joined by '/'.
[[nodiscard]] std::string currentTag();

}  // namespace mneme::record
