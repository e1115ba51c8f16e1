// SPDX-License-Identifier: Apache-2.0
/// The memory of one launch: captured before it, region by region as pointers lead to more, and compared after it.
/// take() and compare() run on the launching thread; the bytes are read by the background writer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "format/recording_set.h"
#include "record/annotations.h"
#include "record/options.h"
#include "record/recorder.h"
#include "record/waiting.h"

namespace mneme::record {

class Snapshot {
 public:
  explicit Snapshot(MemoryBudget& budget) : lease_(budget) {}

  /// Captures everything the launch can reach. Unsupported: refused by name; Unavailable: no memory or no time.
  [[nodiscard]] Expected<void> take(MemoryAccess& access, const LaunchInfo& info, Reach reach,
                                    const SuballocatedBlocks& blocks, Deadline deadline);
  /// Keeps what the launch changed.
  [[nodiscard]] Expected<void> compare(MemoryAccess& access);

  /// After compare(), from any thread: Unsupported if the launch wrote an address of one of the places into memory.
  [[nodiscard]] Expected<void> checkWritten(const std::vector<MemoryRange>& places) const;

  [[nodiscard]] bool sharedWrites() const { return sharedWrites_; }

  /// The regions by ascending address; all vectors have their order. Views are borrowed from this snapshot.
  struct Contents {
    std::vector<MemoryRange> ranges;
    std::vector<format::RegionSource> before, after;
    std::vector<std::vector<uint32_t>> changedChunks;
  };
  [[nodiscard]] Contents contents() const;

 private:
  /// Ranges found and captured together.
  struct Batch {
    std::vector<MemoryRange> ranges;
    std::unique_ptr<MemoryAccess::Scratch> before;
    MemoryAccess::Changes changes;
  };
  [[nodiscard]] Expected<void> capture(MemoryAccess& access, std::vector<MemoryRange> ranges, Deadline deadline);

  MemoryLease lease_;
  std::vector<Batch> batches_;
  uint64_t capturedBytes_ = 0;
  bool sharedWrites_ = false;
};

}  // namespace mneme::record
