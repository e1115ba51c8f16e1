// SPDX-License-Identifier: Apache-2.0
/// Finds which memory a launch can reach: words of its arguments, variables and of memory found so far are looked up in
/// an index of what is live, and in the vendor's own register where the index does not know them.
/// One Reach per launch, used by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/launch.h"
#include "record/recorder.h"

namespace mneme::record {

class SuballocatedBlocks;

inline constexpr uint64_t kNoAddress = 0x8000000000000001u;  ///< a word that is no address anywhere

/// Addresses from `low` to `low + span`, both included: one comparison says whether a word is inside.
struct AddressWindow {
  uint64_t low = kNoAddress, span = 0;  ///< by default as good as empty
};

/// Sorted, disjoint ranges, searched by address.
class AddressIndex {
 public:
  static constexpr size_t kNone = ~size_t{0};

  explicit AddressIndex(std::vector<MemoryRange> ranges = {});
  [[nodiscard]] size_t find(uint64_t address) const;
  [[nodiscard]] const std::vector<MemoryRange>& ranges() const { return ranges_; }
  /// From the lowest address to the highest.
  [[nodiscard]] AddressWindow window() const { return window_; }

 private:
  std::vector<MemoryRange> ranges_;
  std::vector<uint64_t> begins_;
  AddressWindow window_;
};

/// Calls `found(word, offset)` for every 8-byte aligned word of the bytes, which lie at `address`, that is in a window.
/// Stops at the first error.
[[nodiscard]] Expected<void> scanWords(std::span<const std::byte> bytes, uint64_t address,
                                       const std::array<AddressWindow, 2>& windows,
                                       const std::function<Expected<void>(uint64_t word, size_t offset)>& found);

class ReachSearch {
 public:
  /// `blocks`: what pool allocators inside the program reported.
  ReachSearch(MemoryAccess& access, const SuballocatedBlocks& blocks);

  /// Unsupported from any of these: the launch uses something that cannot be recorded; the message says what.
  [[nodiscard]] Expected<void> addArguments(std::span<const std::byte> arguments);
  [[nodiscard]] Expected<void> addRange(const MemoryRange& range);
  [[nodiscard]] Expected<void> addAllLive();
  /// What is known to be live, sorted; and one of it, by its index.
  [[nodiscard]] const std::vector<MemoryRange>& live() const { return live_.ranges(); }
  [[nodiscard]] Expected<void> addLive(size_t index);
  /// Whether memory has to be searched for anything but the live ranges.
  [[nodiscard]] bool seeksOthers() const { return codeKnown_ && !code_.ranges().empty(); }
  [[nodiscard]] Expected<void> addMemory(std::span<const std::byte> bytes, uint64_t address);

  /// Ranges found since the last call.
  [[nodiscard]] std::vector<MemoryRange> takeFound();

 private:
  [[nodiscard]] Expected<void> lookUp(uint64_t word);
  [[nodiscard]] Expected<void> askVendor(uint64_t word);
  [[nodiscard]] Expected<void> refuseCode(uint64_t word) const;

  MemoryAccess& access_;
  const SuballocatedBlocks& blocks_;
  AddressIndex live_, code_;
  bool codeKnown_ = false;
  std::vector<bool> taken_;            ///< by index of live_: already among the ranges
  std::vector<MemoryRange> ranges_;    ///< all found, sorted by address
  std::vector<MemoryRange> fresh_;
  std::array<AddressWindow, 2> windows_;  ///< words in memory outside of both are no pointers
  std::array<uint64_t, 1 << 14> asked_{};  ///< words the vendor did not know, by hash
};

}  // namespace mneme::record
