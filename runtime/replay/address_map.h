// SPDX-License-Identifier: Apache-2.0
/// Where recorded memory lies in this process: at its recorded addresses, or moved, in which case stored pointers are
/// rewritten. Immutable once built, so any thread may ask.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/launch.h"

namespace mneme::replay {

class AddressMap {
 public:
  /// Range i of the recording lies at actual[i]. CorruptRecording if recorded ranges overlap or wrap around.
  [[nodiscard]] static Expected<AddressMap> build(std::span<const MemoryRange> ranges, std::vector<uint64_t> actual);

  [[nodiscard]] uint64_t actual(size_t range) const { return actual_[range]; }
  [[nodiscard]] bool anyMoved() const { return span_ > 0; }
  /// Ranges that moved and to which a recorded pointer led that was rewritten.
  [[nodiscard]] size_t rewrittenCount() const;

  /// The new value of a pointer into a range that moved, its end included; nullopt if the word stays as it is.
  [[nodiscard]] std::optional<uint64_t> translate(uint64_t word) const;

  /// Rewrites the pointers among the words of `bytes`, whose recorded address is `address`; words are 8-byte aligned.
  void rewriteWords(uint64_t address, std::span<std::byte> bytes) const;
  /// Rewrites pointers at every offset of each parameter.
  void rewriteArguments(std::span<const ParameterSlot> parameters, std::span<std::byte> arguments) const;
  /// Replaces those words of `expected` that `got` holds moved: the two then mean the same.
  void acceptMoved(uint64_t address, std::span<std::byte> expected, std::span<const std::byte> got) const;

 private:
  struct Entry {
    uint64_t recorded, size, actual;
    mutable std::atomic<bool> rewritten{false};
  };
  [[nodiscard]] const Entry* movedEntry(uint64_t word) const;
  bool rewrite(std::byte* at) const;

  std::unique_ptr<Entry[]> sorted_;
  std::vector<uint64_t> actual_;
  uint64_t lowest_ = 0, span_ = 0;  ///< recorded addresses of all that moved; most words lie outside
};

}  // namespace mneme::replay
