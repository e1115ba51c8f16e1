// SPDX-License-Identifier: Apache-2.0
/// The scan reads every byte of what is recorded while the program is stopped: its inner loop has one comparison a word.
#include "record/reach.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "record/annotations.h"

namespace mneme::record {
namespace {

constexpr uint64_t kLowestPointer = 4096;
constexpr uint64_t kHighestPointer = (uint64_t{1} << 57) - 1;    ///< of user space with five-level page tables
constexpr uint64_t kLowestStoredPointer = uint64_t{1} << 32;     ///< where nothing better is known
constexpr uint64_t kHighestStoredPointer = (uint64_t{1} << 47) - 1;

uint64_t loadWord(const std::byte* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

bool overlap(const MemoryRange& a, const MemoryRange& b) {
  return a.address < b.address + b.size && b.address < a.address + a.size;
}

bool holds(const MemoryRange& outer, const MemoryRange& inner) {
  return outer.address <= inner.address && inner.address + inner.size <= outer.address + outer.size;
}

std::string hex(uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return text.data();
}

/// True if any of `count` words is in the window. No early exit: the loop has no branch and can be vectorised.
bool anyInside(const std::byte* words, size_t count, AddressWindow window) {
  bool any = false;
  for (size_t i = 0; i < count; ++i) any |= loadWord(words + 8 * i) - window.low <= window.span;
  return any;
}

#ifdef __x86_64__
/// The same by 32 bytes at a time.
__attribute__((target("avx2"))) bool anyInsideAvx2(const std::byte* words, size_t count, AddressWindow window) {
  using Unsigned = uint64_t __attribute__((vector_size(32)));
  using Signed = int64_t __attribute__((vector_size(32)));
  constexpr uint64_t kSign = uint64_t{1} << 63;  // turns the unsigned comparison into the signed one that there is
  const Unsigned low = Unsigned{} + (window.low - kSign);
  const Signed span = reinterpret_cast<Signed>(Unsigned{} + (window.span ^ kSign));
  Signed any{};
  for (size_t i = 0; i + 4 <= count; i += 4) {
    Unsigned four;
    std::memcpy(&four, words + 8 * i, sizeof four);
    any |= reinterpret_cast<Signed>(four - low) <= span;
  }
  const size_t rest = count % 4;
  return (any[0] | any[1] | any[2] | any[3]) != 0 || anyInside(words + 8 * (count - rest), rest, window);
}
#endif

using AnyInside = bool (*)(const std::byte*, size_t, AddressWindow);

AnyInside fastestAnyInside() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return anyInsideAvx2;
#endif
  return anyInside;
}

/// The smallest window around both; an empty one counts for nothing.
AddressWindow around(const std::array<AddressWindow, 2>& windows) {
  const auto [a, b] = windows;
  if (a.low == kNoAddress) return b;
  if (b.low == kNoAddress) return a;
  const uint64_t low = std::min(a.low, b.low);
  return {low, std::max(a.low + a.span, b.low + b.span) - low};
}

bool byAddress(const MemoryRange& a, const MemoryRange& b) { return a.address < b.address; }

}  // namespace

AddressIndex::AddressIndex(std::vector<MemoryRange> ranges) : ranges_(std::move(ranges)) {
  std::erase_if(ranges_, [](const MemoryRange& range) { return range.size == 0; });
  std::sort(ranges_.begin(), ranges_.end(), byAddress);
  begins_.reserve(ranges_.size());
  for (const MemoryRange& range : ranges_) begins_.push_back(range.address);
  if (ranges_.empty()) return;
  window_.low = ranges_.front().address;
  window_.span = ranges_.back().address + ranges_.back().size - 1 - window_.low;
}

size_t AddressIndex::find(uint64_t address) const {
  if (ranges_.empty() || address - window_.low > window_.span) return kNone;
  const size_t at = static_cast<size_t>(std::upper_bound(begins_.begin(), begins_.end(), address) - begins_.begin());
  if (at == 0) return kNone;
  return address - ranges_[at - 1].address < ranges_[at - 1].size ? at - 1 : kNone;
}

Expected<void> scanWords(std::span<const std::byte> bytes, uint64_t address,
                         const std::array<AddressWindow, 2>& windows,
                         const std::function<Expected<void>(uint64_t word, size_t offset)>& found) {
  constexpr size_t kBlock = 128;  // words looked at before asking whether any of them counts
  static const AnyInside anyOf = fastestAnyInside();
  const AddressWindow hull = around(windows);
  const auto [first, second] = windows;
  const size_t skip = std::min<size_t>((8 - address % 8) % 8, bytes.size());
  const std::byte* at = bytes.data() + skip;
  for (size_t words = (bytes.size() - skip) / 8; words > 0;) {
    const size_t count = std::min(words, kBlock);
    const bool any = anyOf(at, count, hull);
    for (size_t i = 0; any && i < count; ++i) {
      const uint64_t word = loadWord(at + 8 * i);
      if (word - first.low > first.span && word - second.low > second.span) continue;
      const auto offset = static_cast<size_t>(at - bytes.data()) + 8 * i;
      if (auto answer = found(word, offset); !answer) return answer;
    }
    at += 8 * count;
    words -= count;
  }
  return {};
}

ReachSearch::ReachSearch(MemoryAccess& access, const SuballocatedBlocks& blocks)
    : access_(access), blocks_(blocks), live_(blocks.split(access.liveRanges())), taken_(live_.ranges().size()) {
  if (auto code = access.codeRanges()) {
    codeKnown_ = true;
    code_ = AddressIndex(std::move(*code));
    windows_ = {live_.window(), code_.window()};
  } else {
    windows_[0] = {kLowestStoredPointer, kHighestStoredPointer - kLowestStoredPointer};
  }
}

Expected<void> ReachSearch::refuseCode(uint64_t word) const {
  return Error(ErrorCode::Unsupported, "its memory holds the address " + hex(word) +
                                           " of code (a function pointer or a virtual table), which another build "
                                           "places elsewhere");
}

Expected<void> ReachSearch::addRange(const MemoryRange& range) {
  if (range.size == 0) return {};
  auto at = std::lower_bound(ranges_.begin(), ranges_.end(), range, byAddress);
  for (auto near : {at, at == ranges_.begin() ? at : at - 1}) {
    if (near == ranges_.end() || !overlap(*near, range)) continue;
    if (holds(*near, range)) return {};
    return Error(ErrorCode::Unsupported,
                 "memory at " + hex(range.address) + " and " + hex(near->address) + " overlaps");
  }
  ranges_.insert(at, range);
  fresh_.push_back(range);
  return {};
}

Expected<void> ReachSearch::addAllLive() {
  for (size_t i = 0; i < live_.ranges().size(); ++i) {
    taken_[i] = true;
    if (auto added = addRange(live_.ranges()[i]); !added) return added;
  }
  return {};
}

Expected<void> ReachSearch::askVendor(uint64_t word) {
  uint64_t& remembered = asked_[(word * 0x9e3779b97f4a7c15u) >> 50];
  if (remembered == word) return {};
  if (!codeKnown_ && access_.isCodeAddress(word)) return refuseCode(word);
  if (auto range = access_.resolve(word))
    if (auto narrowed = blocks_.narrow(*range, word)) return addRange(*narrowed);
  remembered = word;
  return {};
}

Expected<void> ReachSearch::addLive(size_t index) {
  if (taken_[index]) return {};
  taken_[index] = true;
  return addRange(live_.ranges()[index]);
}

Expected<void> ReachSearch::lookUp(uint64_t word) {
  if (const size_t at = live_.find(word); at != AddressIndex::kNone) return addLive(at);
  if (const size_t at = codeKnown_ ? code_.find(word) : AddressIndex::kNone; at != AddressIndex::kNone) {
    const std::string& what = code_.ranges()[at].name;
    if (what.empty()) return refuseCode(word);
    return Error(ErrorCode::Unsupported, "it holds the address " + hex(word) + " of " + what);
  }
  return askVendor(word);
}

Expected<void> ReachSearch::addArguments(std::span<const std::byte> arguments) {
  for (size_t at = 0; at + 8 <= arguments.size(); ++at) {
    const uint64_t word = loadWord(arguments.data() + at);
    if (word < kLowestPointer || word > kHighestPointer) continue;
    if (auto looked = lookUp(word); !looked) return looked;
  }
  return {};
}

Expected<void> ReachSearch::addMemory(std::span<const std::byte> bytes, uint64_t address) {
  return scanWords(bytes, address, windows_, [this](uint64_t word, size_t) { return lookUp(word); });
}

std::vector<MemoryRange> ReachSearch::takeFound() { return std::exchange(fresh_, {}); }

}  // namespace mneme::record
