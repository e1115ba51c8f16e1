// SPDX-License-Identifier: Apache-2.0
/// The host device's memory: the arena, memory at recorded addresses, and the register of both.
/// Zones are the arena's mappings; everything reserved outside them is mapped page by page and shared by neighbours.
#include "backend/host/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>

#include "backend/host/free_space.h"

/// There in programs that run under ThreadSanitizer, whether or not this library was compiled for it.
extern "C" __attribute__((weak, visibility("default"))) void __tsan_init();

namespace mneme::host {
namespace {

/// ThreadSanitizer ends a program that maps anything at the usual address.
uint64_t arenaBase() { return __tsan_init ? 0x5500'0000'0000 : 0x5000'0000'0000; }

constexpr uint64_t kZoneBytes = uint64_t{64} << 30;
constexpr uint64_t kSmallZoneBytes = uint64_t{256} << 20;  // where address space is limited
constexpr int kZoneTries = 64;
constexpr uint64_t kGranule = 256;
constexpr uint64_t kLeastGuard = 64, kMostGuard = 256;
constexpr uint64_t kPageAlignedFrom = uint64_t{1} << 20;
constexpr uint64_t kHugeFrom = uint64_t{4} << 20;
constexpr uint64_t kHugePage = uint64_t{2} << 20;
constexpr uint64_t kAddressEnd = uint64_t{1} << 47;

uint64_t pageBytes() {
  static const uint64_t bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
uint64_t alignDown(uint64_t value, uint64_t alignment) { return value & ~(alignment - 1); }
uint64_t alignUp(uint64_t value, uint64_t alignment) { return alignDown(value + alignment - 1, alignment); }

std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Maps at exactly `base`, or anywhere for base 0; 0 if the system refuses (errno is left).
uint64_t mapPages(uint64_t base, uint64_t size) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (base ? MAP_FIXED_NOREPLACE : 0);
  void* got = mmap(reinterpret_cast<void*>(base), size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (got == MAP_FAILED) return 0;
  if (base && got != reinterpret_cast<void*>(base)) {  // a kernel before 4.17 takes the address as a hint
    munmap(got, size);
    errno = EEXIST;
    return 0;
  }
  return reinterpret_cast<uint64_t>(got);
}

uint64_t machineMemory() {
  uint64_t physical = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * pageBytes();
  std::ifstream limitFile("/sys/fs/cgroup/memory.max");
  uint64_t limit = 0;
  return limitFile >> limit && limit ? std::min(limit, physical) : physical;
}

enum class Origin { Arena, Reserved, Adopted };

struct Entry {
  uint64_t size;
  uint64_t footprint;  // bytes that nobody else has: size, and what guards its end
  MemoryKind kind;
  Origin origin;
  std::string name;
};

using Register = std::map<uint64_t, Entry>;

}  // namespace

struct Memory::State {
  mutable std::mutex mutex;
  Register entries;
  FreeSpace freeSpace;
  std::map<uint64_t, uint64_t> zones;  // base -> size
  uint64_t nextZone = arenaBase();
  uint64_t total = machineMemory();
  uint64_t used = 0;

  bool grow(uint64_t size);
  bool addZone(uint64_t base, uint64_t size);
  bool inZone(uint64_t address) const;
  Register::const_iterator holder(uint64_t address) const;
  bool touches(uint64_t begin, uint64_t end) const;
  Expected<void> reserveOne(const MemoryRange& range, std::vector<MemoryRange>& mapped);
  bool mapMissingPages(uint64_t begin, uint64_t end, std::vector<MemoryRange>& mapped);
  void guardEnd(uint64_t address);
  void giveBack(uint64_t address, const Entry& entry);
  void undo(const std::vector<MemoryRange>& ranges, const std::vector<MemoryRange>& mapped);
  void unmapUnused(uint64_t begin, uint64_t end);
};

bool Memory::State::addZone(uint64_t base, uint64_t size) {
  uint64_t got = mapPages(base, size);
  if (!got) return false;
  zones.emplace(got, size);
  freeSpace.add(got, size);
  return true;
}

/// One more zone that holds `size` bytes at any alignment: at the next fixed address that is free, else anywhere.
bool Memory::State::grow(uint64_t size) {
  for (uint64_t least : {kZoneBytes, kSmallZoneBytes}) {
    uint64_t want = alignUp(std::max(size + kHugePage, least), kHugePage);
    for (int tries = 0; tries < kZoneTries; ++tries) {
      uint64_t base = nextZone;
      if (base + want > kAddressEnd) break;
      if (addZone(base, want)) {
        nextZone = base + want;
        return true;
      }
      if (errno == ENOMEM) break;
      nextZone = base + kZoneBytes;
    }
    if (addZone(0, want)) return true;
  }
  return false;
}

bool Memory::State::inZone(uint64_t address) const {
  auto zone = zones.upper_bound(address);
  if (zone == zones.begin()) return false;
  --zone;
  return address - zone->first < zone->second;
}

Register::const_iterator Memory::State::holder(uint64_t address) const {
  auto entry = entries.upper_bound(address);
  if (entry == entries.begin()) return entries.end();
  --entry;
  return address - entry->first < entry->second.size ? entry : entries.end();
}

/// True if any registered range has a byte in [begin, end).
bool Memory::State::touches(uint64_t begin, uint64_t end) const {
  auto next = entries.lower_bound(begin);
  return (next != entries.end() && next->first < end) || holder(begin) != entries.end();
}

/// Maps the pages of [begin, end) that no registered range holds yet.
bool Memory::State::mapMissingPages(uint64_t begin, uint64_t end, std::vector<MemoryRange>& mapped) {
  uint64_t page = pageBytes();
  for (uint64_t at = begin; at < end;) {
    if (touches(at, at + page)) {  // a neighbour has mapped it
      at += page;
      continue;
    }
    auto next = entries.lower_bound(at);
    uint64_t stop = next == entries.end() ? end : std::min(end, alignDown(next->first, page));
    if (!mapPages(at, stop - at)) return false;
    mapped.push_back({at, stop - at, MemoryKind::Device, {}});
    at = stop;
  }
  return true;
}

void Memory::State::unmapUnused(uint64_t begin, uint64_t end) {
  uint64_t page = pageBytes();
  uint64_t first = begin, last = end;
  while (first < last && touches(first, first + page)) first += page;
  while (last > first && touches(last - page, last)) last -= page;
  if (last > first) munmap(reinterpret_cast<void*>(first), last - first);
}

Expected<void> Memory::State::reserveOne(const MemoryRange& range, std::vector<MemoryRange>& mapped) {
  if (range.size == 0 || range.address == 0 || range.size >= kAddressEnd || range.address >= kAddressEnd - range.size)
    return Error(ErrorCode::InvalidArgument, "no such address range: " + hex(range.address));
  uint64_t end = range.address + range.size;
  auto taken = [&](const char* why) {
    return Error(ErrorCode::Unavailable, hex(range.address) + " to " + hex(end) + ": " + why);
  };
  if (range.size > total - used) return taken("more memory than this machine has");
  if (touches(range.address, end)) return taken("overlaps memory that is in use");
  if (inZone(range.address)) {
    if (!freeSpace.takeAt(range.address, range.size)) return taken("overlaps memory that is in use");
    entries.emplace(range.address, Entry{range.size, range.size, range.kind, Origin::Arena, range.name});
  } else {
    uint64_t page = pageBytes();
    if (!mapMissingPages(alignDown(range.address, page), alignUp(end, page), mapped))
      return taken(errno == EEXIST ? "taken by this process" : strerror(errno));
    entries.emplace(range.address, Entry{range.size, range.size, range.kind, Origin::Reserved, range.name});
  }
  used += range.size;
  return {};
}

/// What lies between a reserved range and the next one is kept free, as far as it is there.
void Memory::State::guardEnd(uint64_t address) {
  auto entry = entries.find(address);
  uint64_t end = address + entry->second.size;
  auto next = std::next(entry);
  uint64_t gap = next == entries.end() ? kMostGuard : std::min(kMostGuard, next->first - end);
  if (entry->second.origin == Origin::Reserved) gap = std::min(gap, alignUp(end, pageBytes()) - end);
  if (gap == 0 || (entry->second.origin == Origin::Arena && !freeSpace.takeAt(end, gap))) return;
  entry->second.footprint += gap;
}

/// After the entry left the register.
void Memory::State::giveBack(uint64_t address, const Entry& entry) {
  if (entry.origin == Origin::Adopted) return;
  used -= entry.size;
  if (entry.origin == Origin::Reserved) {
    unmapUnused(alignDown(address, pageBytes()), alignUp(address + entry.size, pageBytes()));
    return;
  }
  if (entry.footprint >= kPageAlignedFrom) {
    uint64_t begin = alignUp(address, pageBytes()), end = alignDown(address + entry.footprint, pageBytes());
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  freeSpace.add(address, entry.footprint);
}

/// Takes back a reservation that failed half way: its entries, and exactly the pages it mapped.
void Memory::State::undo(const std::vector<MemoryRange>& ranges, const std::vector<MemoryRange>& mapped) {
  for (const auto& range : ranges) {
    auto entry = entries.extract(range.address);
    if (entry.mapped().origin == Origin::Arena) freeSpace.add(range.address, range.size);
    used -= range.size;
  }
  for (const auto& run : mapped) munmap(reinterpret_cast<void*>(run.address), run.size);
}

Memory::Memory() : state_(new State) {}

Memory& Memory::instance() {
  static Memory* const memory = new Memory;
  return *memory;
}

Expected<uint64_t> Memory::allocate(uint64_t size, uint64_t alignment, MemoryKind kind, std::string name) {
  if (size == 0) return Error(ErrorCode::InvalidArgument, "an allocation of 0 bytes");
  if (alignment == 0) alignment = 1;
  if (!std::has_single_bit(alignment) || alignment > kZoneBytes)
    return Error(ErrorCode::InvalidArgument, "alignment is not a power of two: " + std::to_string(alignment));
  std::lock_guard lock(state_->mutex);
  if (size > state_->total - state_->used)
    return Error(ErrorCode::Unavailable, "out of memory: " + std::to_string(size) + " bytes asked for");
  alignment = std::max(alignment, size >= kHugeFrom ? kHugePage : size >= kPageAlignedFrom ? pageBytes() : kGranule);
  uint64_t footprint = alignUp(size + kLeastGuard, size >= kPageAlignedFrom ? pageBytes() : kGranule);
  auto address = state_->freeSpace.take(footprint, alignment);
  if (!address && state_->grow(footprint + alignment)) address = state_->freeSpace.take(footprint, alignment);
  if (!address) return Error(ErrorCode::Unavailable, "out of address space: " + std::to_string(size) + " bytes asked for");
  if (size >= kHugeFrom) madvise(reinterpret_cast<void*>(*address), footprint, MADV_HUGEPAGE);
  state_->entries.emplace(*address, Entry{size, footprint, kind, Origin::Arena, std::move(name)});
  state_->used += size;
  return *address;
}

Expected<void> Memory::reserve(const std::vector<MemoryRange>& ranges) {
  std::lock_guard lock(state_->mutex);
  std::vector<MemoryRange> mapped;
  for (size_t i = 0; i < ranges.size(); ++i) {
    auto done = state_->reserveOne(ranges[i], mapped);
    if (done) continue;
    state_->undo({ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(i)}, mapped);
    return done;
  }
  for (const auto& range : ranges) state_->guardEnd(range.address);
  return {};
}

Expected<void> Memory::adopt(uint64_t address, uint64_t size) {
  if (address == 0 || size == 0 || size > kAddressEnd || address > kAddressEnd - size)
    return Error(ErrorCode::InvalidArgument, "no such address range: " + hex(address));
  std::lock_guard lock(state_->mutex);
  if (state_->touches(address, address + size))
    return Error(ErrorCode::InvalidArgument, hex(address) + ": part of it is registered already");
  state_->entries.emplace(address, Entry{size, size, MemoryKind::Registered, Origin::Adopted, {}});
  return {};
}

Expected<void> Memory::release(uint64_t address) {
  std::lock_guard lock(state_->mutex);
  auto entry = state_->entries.extract(address);
  if (!entry) return Error(ErrorCode::InvalidArgument, hex(address) + " is not the base of an allocation");
  state_->giveBack(address, entry.mapped());
  return {};
}

std::optional<MemoryRange> Memory::resolve(uint64_t address) const {
  std::lock_guard lock(state_->mutex);
  auto entry = state_->holder(address);
  if (entry == state_->entries.end()) return std::nullopt;
  return MemoryRange{entry->first, entry->second.size, entry->second.kind, entry->second.name};
}

std::span<std::byte> Memory::guardBehind(uint64_t address, uint64_t size) const {
  std::lock_guard lock(state_->mutex);
  auto entry = state_->entries.find(address);
  if (entry == state_->entries.end() || entry->second.size != size) return {};
  return {reinterpret_cast<std::byte*>(address + size), std::min(kMostGuard, entry->second.footprint - size)};
}

std::vector<MemoryRange> Memory::live() const {
  std::lock_guard lock(state_->mutex);
  std::vector<MemoryRange> ranges;
  ranges.reserve(state_->entries.size());
  for (const auto& [address, entry] : state_->entries) ranges.push_back({address, entry.size, entry.kind, entry.name});
  return ranges;
}

uint64_t Memory::totalBytes() const { return state_->total; }

uint64_t Memory::freeBytes() const {
  std::lock_guard lock(state_->mutex);
  return state_->total - state_->used;
}

}  // namespace mneme::host
