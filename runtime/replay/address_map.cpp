// SPDX-License-Identifier: Apache-2.0
/// An interval index over the recorded ranges; see address_map.h.
#include "replay/address_map.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

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
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ranges[a].address < ranges[b].address; });
  AddressMap map;
  map.sorted_ = std::make_unique<Entry[]>(ranges.size());
  uint64_t previousEnd = 0, highest = 0;
  map.lowest_ = UINT64_MAX;
  for (size_t place = 0; place < order.size(); ++place) {
    const auto& [address, size, kind, name] = ranges[order[place]];
    if (address + size < address)
      return Error(ErrorCode::CorruptRecording, "region " + std::to_string(order[place]) + " wraps around the address space");
    if (place > 0 && previousEnd > address) return Error(ErrorCode::CorruptRecording, "two recorded regions overlap");
    previousEnd = address + size;
    Entry& entry = map.sorted_[place];
    entry.recorded = address, entry.size = size, entry.actual = actual[order[place]];
    if (entry.actual == address) continue;
    map.lowest_ = std::min(map.lowest_, address);
    highest = previousEnd;
  }
  if (highest > 0) map.span_ = highest - map.lowest_ + 1;  // a pointer to the end counts
  map.actual_ = std::move(actual);
  return map;
}

const AddressMap::Entry* AddressMap::movedEntry(uint64_t word) const {
  if (word - lowest_ >= span_) return nullptr;
  const Entry* begin = sorted_.get();
  const Entry* after = std::upper_bound(begin, begin + actual_.size(), word,
                                        [](uint64_t value, const Entry& entry) { return value < entry.recorded; });
  if (after == begin) return nullptr;
  const Entry& entry = *std::prev(after);
  return word - entry.recorded > entry.size || entry.actual == entry.recorded ? nullptr : &entry;
}

std::optional<uint64_t> AddressMap::translate(uint64_t word) const {
  const Entry* entry = movedEntry(word);
  return entry ? std::optional(entry->actual + (word - entry->recorded)) : std::nullopt;
}

size_t AddressMap::rewrittenCount() const {
  return static_cast<size_t>(std::count_if(sorted_.get(), sorted_.get() + actual_.size(),
                                           [](const Entry& entry) { return entry.rewritten.load(); }));
}

bool AddressMap::rewrite(std::byte* at) const {
  const uint64_t word = wordAt(at);
  const Entry* entry = movedEntry(word);
  if (!entry) return false;
  const uint64_t moved = entry->actual + (word - entry->recorded);
  std::memcpy(at, &moved, kWord);
  entry->rewritten.store(true, std::memory_order_relaxed);
  return true;
}

void AddressMap::rewriteWords(uint64_t address, std::span<std::byte> bytes) const {
  forEachWord(address, bytes.size(), [&](size_t at) { rewrite(&bytes[at]); });
}

void AddressMap::rewriteArguments(std::span<const ParameterSlot> parameters, std::span<std::byte> arguments) const {
  for (const auto& slot : parameters) {
    size_t end = std::min<size_t>(size_t{slot.offset} + slot.size, arguments.size());
    for (size_t at = slot.offset; at + kWord <= end;) at += rewrite(&arguments[at]) ? kWord : 1;
  }
}

void AddressMap::acceptMoved(uint64_t address, std::span<std::byte> expected, std::span<const std::byte> got) const {
  forEachWord(address, std::min(expected.size(), got.size()), [&](size_t at) {
    if (translate(wordAt(&expected[at])) == wordAt(&got[at])) std::memcpy(&expected[at], &got[at], kWord);
  });
}

}  // namespace mneme::replay
