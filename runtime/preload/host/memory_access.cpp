// SPDX-License-Identifier: Apache-2.0
/// Captures and compares the host device's memory.
#include "preload/host/memory_access.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "backend/host/engine.h"
#include "backend/host/memory.h"
#include "preload/host/device_gate.h"
#include "preload/host/module_registry.h"
#include "preload/host/parallel.h"
#include "preload/host/scratch_pool.h"

namespace mneme::host_runtime {
namespace {

constexpr std::chrono::milliseconds kDeadline{2000};
constexpr uint64_t kPiece = uint64_t{4} << 20;  // bytes one core takes at a time

thread_local std::optional<uint64_t> kernelNanoseconds;

struct CopyPiece {
  std::byte* to;
  const std::byte* from;
  uint64_t size;
};

void split(std::vector<CopyPiece>& pieces, std::byte* to, const std::byte* from, uint64_t size) {
  for (uint64_t at = 0; at < size; at += kPiece) pieces.push_back({to + at, from + at, std::min(kPiece, size - at)});
}

void copyAll(const std::vector<CopyPiece>& pieces) {
  uint64_t total = 0;
  for (const auto& piece : pieces) total += piece.size;
  auto copy = [&](size_t i) { std::memcpy(pieces[i].to, pieces[i].from, pieces[i].size); };
  if (total > kPiece) return parallelFor(pieces.size(), copy);
  for (size_t i = 0; i < pieces.size(); ++i) copy(i);  // threads would cost more than they bring
}

/// All ranges' bytes in one piece of scratch.
class HostScratch final : public record::MemoryAccess::Scratch {
 public:
  static Expected<std::unique_ptr<HostScratch>> make(std::vector<uint64_t> sizes) {
    uint64_t total = 0;
    std::vector<uint64_t> offsets;
    for (uint64_t size : sizes) {
      offsets.push_back(total);
      total += (size + 63) / 64 * 64;
    }
    std::byte* memory = total ? ScratchPool::instance().take(total) : nullptr;
    if (total && !memory) return Error(ErrorCode::Unavailable, "no room for a snapshot of " + std::to_string(total) + " bytes");
    return std::unique_ptr<HostScratch>(new HostScratch(memory, total, std::move(sizes), std::move(offsets)));
  }
  ~HostScratch() override {
    if (memory_) ScratchPool::instance().give(memory_, total_);
  }

  Expected<void> read(size_t index, uint64_t offset, std::span<std::byte> bytes) override {
    if (index >= sizes_.size() || offset > sizes_[index] || bytes.size() > sizes_[index] - offset)
      return Error(ErrorCode::InvalidArgument, "read beyond a captured range");
    std::memcpy(bytes.data(), at(index) + offset, bytes.size());
    return {};
  }
  const std::byte* view(size_t index) override { return at(index); }
  [[nodiscard]] std::byte* at(size_t index) const { return memory_ + offsets_[index]; }

  /// Keeps what stands behind the ranges' ends, too.
  void keepGuards(std::span<const MemoryRange> ranges) {
    for (const auto& range : ranges) {
      const auto behind = host::Memory::instance().guardBehind(range.address, range.size);
      guards_.insert(guards_.end(), behind.begin(), behind.end());
    }
  }
  /// Unsupported if the launch has written there: a fixture that does so has no one answer.
  [[nodiscard]] Expected<void> checkGuards(std::span<const MemoryRange> ranges) const {
    size_t kept = 0;
    for (const auto& range : ranges) {
      const auto behind = host::Memory::instance().guardBehind(range.address, range.size);
      if (behind.size() > guards_.size() - kept) return {};  // not the memory it was
      const auto first = std::mismatch(behind.begin(), behind.end(), guards_.begin() + static_cast<std::ptrdiff_t>(kept)).first;
      if (first != behind.end()) return wrotePast(range, static_cast<uint64_t>(first - behind.begin()));
      kept += behind.size();
    }
    return {};
  }

 private:
  HostScratch(std::byte* memory, uint64_t total, std::vector<uint64_t> sizes, std::vector<uint64_t> offsets)
      : memory_(memory), total_(total), sizes_(std::move(sizes)), offsets_(std::move(offsets)) {}

  std::byte* memory_;
  static Error wrotePast(const MemoryRange& range, uint64_t offset) {
    std::ostringstream text;
    text << "it writes past the end of " << (range.name.empty() ? "the allocation" : "variable " + range.name) << " at 0x"
         << std::hex << range.address << std::dec << ", which has " << range.size << " bytes: first at offset "
         << range.size + offset;
    return Error(ErrorCode::Unsupported, text.str());
  }

  uint64_t total_;
  std::vector<uint64_t> sizes_, offsets_;
  std::vector<std::byte> guards_;
};

const std::byte* bytesAt(uint64_t address) { return reinterpret_cast<const std::byte*>(address); }

struct Chunk {
  uint32_t range, index;
  uint64_t offset, size;
};

std::vector<Chunk> chunksOf(std::span<const MemoryRange> ranges, uint64_t chunkBytes) {
  std::vector<Chunk> chunks;
  for (uint32_t r = 0; r < ranges.size(); ++r)
    for (uint64_t at = 0; at < ranges[r].size; at += chunkBytes)
      chunks.push_back({r, static_cast<uint32_t>(at / chunkBytes), at, std::min(chunkBytes, ranges[r].size - at)});
  return chunks;
}

/// One flag a chunk, in groups so that threads take some megabytes at a time.
std::vector<uint8_t> compare(std::span<const MemoryRange> ranges, const HostScratch& before,
                             const std::vector<Chunk>& chunks, uint64_t chunkBytes) {
  std::vector<uint8_t> changed(chunks.size());
  size_t group = std::max<uint64_t>(1, kPiece / chunkBytes);
  parallelFor((chunks.size() + group - 1) / group, [&](size_t g) {
    for (size_t i = g * group; i < std::min(chunks.size(), (g + 1) * group); ++i) {
      const auto& c = chunks[i];
      changed[i] = std::memcmp(bytesAt(ranges[c.range].address) + c.offset, before.at(c.range) + c.offset, c.size) != 0;
    }
  });
  return changed;
}

}  // namespace

void HostMemoryAccess::arm() { ScratchPool::instance().arm(); }
void HostMemoryAccess::setKernelTime(std::chrono::nanoseconds time) { kernelNanoseconds = static_cast<uint64_t>(time.count()); }
std::optional<uint64_t> HostMemoryAccess::lastKernelNanoseconds() { return kernelNanoseconds; }

std::optional<MemoryRange> HostMemoryAccess::resolve(uint64_t address) { return host::Memory::instance().resolve(address); }
std::vector<MemoryRange> HostMemoryAccess::liveRanges() { return host::Memory::instance().live(); }
std::vector<MemoryRange> HostMemoryAccess::variables(record::ModuleId module, std::string_view kernel) {
  return ModuleRegistry::instance().variables(module, std::string(kernel));
}
bool HostMemoryAccess::isCodeAddress(uint64_t address) { return host::isCodeAddress(address); }

std::optional<std::vector<MemoryRange>> HostMemoryAccess::codeRanges() { return host::codePlaces(); }

std::vector<MemoryRange> HostMemoryAccess::fleetingRanges() {
  auto ranges = host::codePlaces(), ofLaunches = host::launchPlaces();
  ranges.insert(ranges.end(), ofLaunches.begin(), ofLaunches.end());
  return ranges;
}

Expected<void> HostMemoryAccess::read(uint64_t address, std::span<std::byte> bytes) {
  auto range = resolve(address);
  if (!range || bytes.size() > range->size - (address - range->address))
    return Error(ErrorCode::InvalidArgument, "read outside the device's memory");
  std::memcpy(bytes.data(), bytesAt(address), bytes.size());
  return {};
}

Expected<std::unique_ptr<record::MemoryAccess::Scratch>> HostMemoryAccess::capture(std::span<const MemoryRange> ranges) {
  if (!closeGate(kDeadline)) return Error(ErrorCode::Unavailable, "other threads' work on the device did not end in time");
  std::vector<uint64_t> sizes;
  for (const auto& range : ranges) sizes.push_back(range.size);
  auto scratch = HostScratch::make(std::move(sizes));
  if (!scratch) return std::move(scratch).error();
  std::vector<CopyPiece> pieces;
  for (size_t i = 0; i < ranges.size(); ++i) split(pieces, (*scratch)->at(i), bytesAt(ranges[i].address), ranges[i].size);
  copyAll(pieces);
  (*scratch)->keepGuards(ranges);
  return std::unique_ptr<Scratch>(std::move(*scratch));
}

Expected<record::MemoryAccess::Changes> HostMemoryAccess::captureChanges(std::span<const MemoryRange> ranges,
                                                                         Scratch& before, uint64_t chunkBytes) {
  auto& snapshot = static_cast<HostScratch&>(before);  // every Scratch of this class's captures is one
  if (auto sound = snapshot.checkGuards(ranges); !sound) return std::move(sound).error();
  auto chunks = chunksOf(ranges, chunkBytes);
  auto changed = compare(ranges, snapshot, chunks, chunkBytes);
  Changes changes;
  changes.chunks.resize(ranges.size());
  std::vector<uint64_t> sizes(ranges.size());
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (!changed[i]) continue;
    changes.chunks[chunks[i].range].push_back(chunks[i].index);
    sizes[chunks[i].range] += chunks[i].size;
  }
  auto scratch = HostScratch::make(sizes);
  if (!scratch) return std::move(scratch).error();
  std::vector<CopyPiece> pieces;
  std::vector<uint64_t> filled(ranges.size());
  for (size_t i = 0; i < chunks.size(); ++i) {
    const auto& c = chunks[i];
    if (!changed[i]) continue;
    pieces.push_back({(*scratch)->at(c.range) + filled[c.range], bytesAt(ranges[c.range].address) + c.offset, c.size});
    filled[c.range] += c.size;
  }
  copyAll(pieces);
  changes.bytes = std::move(*scratch);
  return changes;
}

record::MemoryAccess::Description HostMemoryAccess::describe() {
  Description description;
  description.backend = "host";
  description.model = host::processorName();
#if defined(__x86_64__)
  description.architecture = "x86-64";
#else
  description.architecture = "aarch64";
#endif
  return description;
}

}  // namespace mneme::host_runtime
