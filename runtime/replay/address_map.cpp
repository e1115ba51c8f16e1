// SPDX-License-Identifier: Apache-2.0
/// An interval index over the recorded ranges; see address_map.h.
#include "replay/address_map.h"

#include <algorithm>
#include <cstring>

namespace mneme::replay {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

uint64_t wordAt(const std::byte* at) {
  uint64_t word;
  std::memcpy(&word, at, kWord);
  return word;
}

/// Calls visit(offset) for every 8-byte aligned word of [address, address+size).
template <typename Visit>
void forEachWord(uint64_t address, size_t size, const Visit& visit) {
  for (size_t at = (kWord - address % kWord) % kWord; at + kWord <= size; at += kWord) visit(at);
}

}  // namespace

Expected<AddressMap> AddressMap::build(std::span<const MemoryRange> ranges, std::vector<uint64_t> actual) {
  AddressMap map;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].address + ranges[i].size < ranges[i].address)
      return Error(ErrorCode::CorruptRecording, "region " + std::to_string(i) + " wraps around the address space");
    map.sorted_.push_back({ranges[i].address, ranges[i].size, actual[i]});
    map.moved_ += ranges[i].address != actual[i];
  }
  std::sort(map.sorted_.begin(), map.sorted_.end(), [](const Entry& a, const Entry& b) { return a.recorded < b.recorded; });
  for (size_t i = 1; i < map.sorted_.size(); ++i)
    if (map.sorted_[i - 1].recorded + map.sorted_[i - 1].size > map.sorted_[i].recorded)
      return Error(ErrorCode::CorruptRecording, "two recorded regions overlap");
  map.actual_ = std::move(actual);
  return map;
}

std::optional<uint64_t> AddressMap::translate(uint64_t word) const {
  auto after = std::upper_bound(sorted_.begin(), sorted_.end(), word,
                                [](uint64_t value, const Entry& entry) { return value < entry.recorded; });
  if (after == sorted_.begin()) return std::nullopt;
  const Entry& entry = *std::prev(after);
  if (word - entry.recorded > entry.size || entry.actual == entry.recorded) return std::nullopt;
  return entry.actual + (word - entry.recorded);
}

void AddressMap::rewriteWords(uint64_t address, std::span<std::byte> bytes) const {
  forEachWord(address, bytes.size(), [&](size_t at) {
    if (auto moved = translate(wordAt(&bytes[at]))) std::memcpy(&bytes[at], &*moved, kWord);
  });
}

void AddressMap::rewriteArguments(std::span<const ParameterSlot> parameters, std::span<std::byte> arguments) const {
  for (const auto& slot : parameters) {
    size_t end = std::min<size_t>(size_t{slot.offset} + slot.size, arguments.size());
    for (size_t at = slot.offset; at + kWord <= end;) {
      auto moved = translate(wordAt(&arguments[at]));
      if (moved) std::memcpy(&arguments[at], &*moved, kWord);
      at += moved ? kWord : 1;
    }
  }
}

void AddressMap::acceptMoved(uint64_t address, std::span<std::byte> expected, std::span<const std::byte> got) const {
  forEachWord(address, std::min(expected.size(), got.size()), [&](size_t at) {
    if (translate(wordAt(&expected[at])) == wordAt(&got[at])) std::memcpy(&expected[at], &got[at], kWord);
  });
}

}  // namespace mneme::replay
