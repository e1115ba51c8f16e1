// SPDX-License-Identifier: Apache-2.0
/// What a launch changes is only known afterwards, so memory for twice the captured bytes is set aside first: the budget
/// holds whatever the kernel does.
#include "record/snapshot.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "record/reach.h"

namespace mneme::record {
namespace {

constexpr uint64_t kScanBytes = 4 << 20;  ///< between two looks at the clock

uint64_t bytesOf(const std::vector<MemoryRange>& ranges) {
  uint64_t sum = 0;
  for (const MemoryRange& range : ranges) sum += range.size;
  return sum;
}

Error outOfTime() {
  return {ErrorCode::Unavailable, "finding its memory took longer than MNEME_RECORD_DEADLINE_MS allows"};
}

/// Looks for pointers in what was captured of one range.
Expected<void> search(ReachSearch& reach, const MemoryRange& range, MemoryAccess::Scratch& scratch, size_t index,
                      Deadline deadline) {
  if (const auto reached = reach.seeksOthers() ? std::nullopt : scratch.reached(index, reach.live())) {
    for (const size_t live : *reached)
      if (auto added = reach.addLive(live); !added) return added;
    return {};
  }
  const std::byte* view = scratch.view(index);
  std::vector<std::byte> buffer(view ? 0 : std::min(range.size, kScanBytes));
  for (uint64_t offset = 0; offset < range.size; offset += kScanBytes) {
    if (Clock::now() > deadline) return outOfTime();
    const uint64_t size = std::min(kScanBytes, range.size - offset);
    std::span<const std::byte> bytes(view ? view + offset : buffer.data(), size);
    if (!view)
      if (auto read = scratch.read(index, offset, std::span(buffer).first(size)); !read) return read;
    auto added = reach.addMemory(bytes, range.address + offset);
    if (!added && !range.name.empty()) return std::move(added).error().context("variable " + range.name);
    if (!added) return added;
  }
  return {};
}

Expected<void> addRoots(ReachSearch& reach, MemoryAccess& access, const LaunchInfo& info, Reach how) {
  for (const MemoryRange& variable : access.variables(info.module, info.kernel))
    if (auto added = reach.addRange(variable); !added) return added;
  if (how == Reach::All)
    if (auto added = reach.addAllLive(); !added) return added;
  return reach.addArguments(info.arguments);
}

uint64_t chunkSize(const MemoryRange& range, uint32_t chunk) {
  return std::min(format::kChunkBytes, range.size - chunk * format::kChunkBytes);
}

bool areChunksOf(const std::vector<uint32_t>& chunks, const MemoryRange& range) {
  const uint64_t count = (range.size + format::kChunkBytes - 1) / format::kChunkBytes;
  return std::is_sorted(chunks.begin(), chunks.end(), std::less_equal<>()) && (chunks.empty() || chunks.back() < count);
}

bool fits(const MemoryAccess::Changes& changes, const std::vector<MemoryRange>& ranges) {
  if (changes.chunks.size() != ranges.size()) return false;
  bool any = false;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (!areChunksOf(changes.chunks[i], ranges[i])) return false;
    any = any || !changes.chunks[i].empty();
  }
  return !any || changes.bytes;
}

Expected<std::span<const std::byte>> bytesOf(MemoryAccess::Scratch& scratch, size_t index, uint64_t offset, uint64_t size,
                                             std::vector<std::byte>& buffer) {
  if (const std::byte* view = scratch.view(index)) return std::span(view + offset, size);
  buffer.resize(size);
  if (auto read = scratch.read(index, offset, buffer); !read) return std::move(read).error();
  return std::span<const std::byte>(buffer);
}

std::string placeOf(const MemoryRange& range, uint64_t offset) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(range.address + offset));
  return range.name.empty() ? text.data() : "variable " + range.name + " (" + text.data() + ")";
}

/// Words that were there before are the program's own affair: the replay starts with them, too.
Expected<void> checkChunk(std::span<const std::byte> before, std::span<const std::byte> after, const MemoryRange& range,
                          uint64_t offset, const AddressIndex& places) {
  return scanWords(after, range.address + offset, {places.window(), {}}, [&](uint64_t word, size_t at) -> Expected<void> {
    const size_t place = places.find(word);
    if (place == AddressIndex::kNone || std::memcmp(before.data() + at, &word, sizeof word) == 0) return {};
    return Error(ErrorCode::Unsupported, "it writes the address of " + places.ranges()[place].name + " to " +
                                             placeOf(range, offset + at) + ", and another process has that elsewhere");
  });
}

format::RegionSource sourceOf(MemoryAccess::Scratch* scratch, size_t index, uint64_t size) {
  if (size == 0) return {};
  return {size, scratch->view(index), [scratch, index](uint64_t offset, std::span<std::byte> out) {
            return scratch->read(index, offset, out);
          }};
}

}  // namespace

Expected<void> Snapshot::capture(MemoryAccess& access, std::vector<MemoryRange> ranges, Deadline deadline) {
  const uint64_t bytes = bytesOf(ranges);
  if (!lease_.grow(2 * bytes, deadline))
    return Error(ErrorCode::Unavailable, "its memory (" + std::to_string(capturedBytes_ + bytes) +
                                             " bytes and as much for changes) does not fit into MNEME_RECORD_MEMORY "
                                             "beside what waits to be written");
  auto scratch = access.capture(ranges);
  if (!scratch) return std::move(scratch).error();
  capturedBytes_ += bytes;
  batches_.push_back({std::move(ranges), std::move(*scratch), {}});
  return {};
}

Expected<void> Snapshot::take(MemoryAccess& access, const LaunchInfo& info, Reach how, const SuballocatedBlocks& blocks,
                              Deadline deadline) {
  ReachSearch reach(access, blocks);
  if (auto added = addRoots(reach, access, info, how); !added) return added;
  for (auto found = reach.takeFound(); !found.empty(); found = reach.takeFound()) {
    if (auto captured = capture(access, std::move(found), deadline); !captured) return captured;
    const Batch& batch = batches_.back();
    for (size_t i = 0; i < batch.ranges.size(); ++i)
      if (auto searched = search(reach, batch.ranges[i], *batch.before, i, deadline); !searched) return searched;
  }
  return {};
}

Expected<void> Snapshot::compare(MemoryAccess& access) {
  uint64_t changedBytes = 0;
  for (Batch& batch : batches_) {
    auto changes = access.captureChanges(batch.ranges, *batch.before, format::kChunkBytes);
    if (!changes) return std::move(changes).error();
    if (!fits(*changes, batch.ranges)) return Error(ErrorCode::Device, "its changes do not fit its memory");
    batch.changes = std::move(*changes);
    sharedWrites_ = sharedWrites_ || batch.changes.sharedWrites;
    for (size_t i = 0; i < batch.ranges.size(); ++i)
      for (uint32_t chunk : batch.changes.chunks[i]) changedBytes += chunkSize(batch.ranges[i], chunk);
  }
  lease_.shrinkTo(capturedBytes_ + changedBytes);
  return {};
}

Expected<void> Snapshot::checkWritten(const std::vector<MemoryRange>& places) const {
  const AddressIndex index(places);
  if (index.ranges().empty()) return {};
  std::vector<std::byte> beforeBuffer, afterBuffer;
  for (const Batch& batch : batches_)
    for (size_t i = 0; i < batch.ranges.size(); ++i) {
      uint64_t kept = 0;
      for (const uint32_t chunk : batch.changes.chunks[i]) {
        const uint64_t offset = chunk * format::kChunkBytes, size = chunkSize(batch.ranges[i], chunk);
        auto before = bytesOf(*batch.before, i, offset, size, beforeBuffer);
        auto after = bytesOf(*batch.changes.bytes, i, kept, size, afterBuffer);
        if (!before || !after) return std::move(before ? after : before).error();
        if (auto sound = checkChunk(*before, *after, batch.ranges[i], offset, index); !sound) return sound;
        kept += size;
      }
    }
  return {};
}

Snapshot::Contents Snapshot::contents() const {
  std::vector<std::pair<const Batch*, size_t>> order;
  for (const Batch& batch : batches_)
    for (size_t i = 0; i < batch.ranges.size(); ++i) order.emplace_back(&batch, i);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first->ranges[a.second].address < b.first->ranges[b.second].address;
  });
  Contents contents;
  for (const auto& [batch, i] : order) {
    const MemoryRange& range = batch->ranges[i];
    const std::vector<uint32_t>& chunks = batch->changes.chunks[i];
    uint64_t changed = 0;
    for (uint32_t chunk : chunks) changed += chunkSize(range, chunk);
    contents.ranges.push_back(range);
    contents.changedChunks.push_back(chunks);
    contents.before.push_back(sourceOf(batch->before.get(), i, range.size));
    contents.after.push_back(sourceOf(batch->changes.bytes.get(), i, changed));
  }
  return contents;
}

}  // namespace mneme::record
