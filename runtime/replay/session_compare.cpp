// SPDX-License-Identifier: Apache-2.0
/// The comparing half of ReplaySession. Chunks that the recorded kernel changed are compared with `after`; the others by
/// their hash, and only those whose hash differs are read again from `before`.
#include <algorithm>
#include <mutex>
#include <set>

#include "base/hash.h"
#include "replay/parallel.h"
#include "replay/session.h"

namespace mneme::replay {

std::vector<ReplaySession::Chunk> ReplaySession::unchangedChunks() const {
  std::vector<Chunk> chunks;
  for (size_t region = 0; region < ranges_.size(); ++region) {
    const auto& changed = recording_.changedChunks(region);
    auto count = (ranges_[region].size + format::kChunkBytes - 1) / format::kChunkBytes;
    auto next = changed.begin();
    for (uint32_t index = 0; index < count; ++index)
      if (next != changed.end() && *next == index) ++next;
      else chunks.push_back({region, index});
  }
  return chunks;
}

Expected<Comparison> ReplaySession::compare(std::vector<RegionRule> rules) {
  Comparer comparer(std::move(rules));
  auto changed = recording_.readAfter(
      options_.threads, [&](size_t region, uint64_t offset, std::span<const std::byte> expected) {
        return compareChunk(comparer, region, offset, expected);
      });
  if (!changed) return std::move(changed).error().context("comparing memory");
  if (auto rest = compareUnchanged(comparer); !rest) return std::move(rest).error().context("comparing memory");
  return comparer.result();
}

Expected<void> ReplaySession::compareChunk(Comparer& comparer, size_t region, uint64_t offset,
                                           std::span<const std::byte> expected) {
  std::vector<std::byte> scratch;
  auto got = memory_.view(addressOf(region, offset), expected.size(), scratch);
  if (!got) return std::move(got).error();
  if (!addresses_->anyMoved()) {
    comparer.compare(region, offset, expected, *got);
    return {};
  }
  std::vector<std::byte> meant(expected.begin(), expected.end());
  addresses_->acceptMoved(ranges_[region].address + offset, meant, *got);
  comparer.compare(region, offset, meant, *got);
  return {};
}

Expected<bool> ReplaySession::hashMatches(const Chunk& chunk) {
  auto recorded = recording_.beforeHash(chunk.region, chunk.index);
  if (!recorded) return false;
  std::vector<std::byte> scratch;
  auto got = memory_.view(addressOf(chunk.region, chunk.index * format::kChunkBytes), chunkSize(chunk), scratch);
  if (!got) return std::move(got).error();
  return hash128(*got) == *recorded;
}

Expected<void> ReplaySession::compareUnchanged(Comparer& comparer) {
  const auto chunks = unchangedChunks();
  std::mutex mutex;
  std::set<std::pair<size_t, uint64_t>> suspects;
  auto hashed = parallelFor(chunks.size(), options_.threads, [&](size_t i) -> Expected<void> {
    auto equal = hashMatches(chunks[i]);
    if (!equal) return std::move(equal).error();
    if (*equal) {
      comparer.addEqual(chunkSize(chunks[i]));
      return {};
    }
    std::lock_guard lock(mutex);
    suspects.emplace(chunks[i].region, chunks[i].index * format::kChunkBytes);
    return {};
  });
  if (!hashed || suspects.empty()) return hashed;
  return recording_.readBefore(options_.threads, [&](size_t region, uint64_t offset, std::span<const std::byte> bytes) {
    return suspects.contains({region, offset}) ? compareChunk(comparer, region, offset, bytes) : Expected<void>();
  });
}

}  // namespace mneme::replay
