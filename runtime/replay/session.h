// SPDX-License-Identifier: Apache-2.0
/// One recording on one device: memory put back, code loaded, ready to run, compare and run again.
/// Order: open -> run -> compare, then any number of restoreChanged -> run. What compare() judged is what run() ran: the
/// loaded code never changes. Used by one thread; works with all cores inside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "format/recording_set.h"
#include "replay/address_map.h"
#include "replay/code_selection.h"
#include "replay/compare.h"
#include "replay/device_memory.h"

namespace mneme::replay {

struct SessionOptions {
  bool relocate = true;    ///< false: a refused address range is an error (Unavailable)
  bool keepChanged = false;  ///< keep the bytes that restoreChanged() needs
  unsigned threads = 0;    ///< 0: all cores
};

class ReplaySession {
 public:
  /// Reserves, loads, restores. The recording and the device outlive the session. On an obstacle there is no session:
  /// `obstacle` says which and why.
  struct Opened {
    std::unique_ptr<ReplaySession> session;
    Obstacle obstacle = Obstacle::None;
    std::string reason;
  };
  [[nodiscard]] static Expected<Opened> open(format::Recording& recording, device::Device& device,
                                             const SelectedCode& code, const SessionOptions& options);

  /// Launches so many times in a row and waits; the nanoseconds of all by the device's clock.
  [[nodiscard]] Expected<uint64_t> run(unsigned launches = 1);
  /// All recorded memory against what it should be now, unchanged chunks included. Valid after the first run.
  [[nodiscard]] Expected<Comparison> compare(std::vector<RegionRule> rules);
  /// Puts back the chunks that the recorded kernel changed.
  [[nodiscard]] Expected<void> restoreChanged();

  /// Other code in another launch shape on the same memory, which is restored: the whole of it, or with `memoryIsRight`
  /// (the last comparison passed) only what the kernel changes. After an error nothing may be run.
  [[nodiscard]] Expected<Obstacle> replaceCode(const SelectedCode& code, const LaunchShape& shape, bool memoryIsRight, std::string& reason);

  [[nodiscard]] device::Kernel& kernel() { return *kernel_; }

  /// A region's bytes as they are now.
  [[nodiscard]] Expected<void> readMemory(size_t region, std::span<std::byte> out);

  /// Regions that could not have their recorded address, and to which pointers lead that were rewritten. A variable that
  /// kernels find by its name alone is none.
  [[nodiscard]] size_t relocatedCount() const { return addresses_->rewrittenCount(); }

 private:
  struct Chunk {
    size_t region;
    uint32_t index;
  };
  ReplaySession(format::Recording& recording, device::Device& device, const SessionOptions& options);

  [[nodiscard]] Expected<std::vector<uint64_t>> placeMemory();
  [[nodiscard]] Expected<void> loadCode(const SelectedCode& code);
  /// Whether the kernel's code mentions the module's variable; true where the device cannot tell.
  [[nodiscard]] bool uses(const std::string& variable) const;
  /// Moves globals to where the loaded module has them; the reason if one that the kernel uses has another size now.
  [[nodiscard]] std::optional<std::string> placeVariables(std::vector<uint64_t>& actual) const;
  [[nodiscard]] Expected<void> restoreBefore();
  [[nodiscard]] Expected<void> keepChangedChunks();
  [[nodiscard]] std::vector<Chunk> changedChunks() const;
  [[nodiscard]] std::vector<Chunk> unchangedChunks() const;
  [[nodiscard]] Expected<void> compareChunk(Comparer& comparer, size_t region, uint64_t offset,
                                            std::span<const std::byte> expected);
  [[nodiscard]] Expected<void> compareUnchanged(Comparer& comparer);
  [[nodiscard]] Expected<bool> hashMatches(const Chunk& chunk);
  [[nodiscard]] uint64_t chunkSize(const Chunk& chunk) const;
  [[nodiscard]] uint64_t addressOf(size_t region, uint64_t offset) const { return addresses_->actual(region) + offset; }

  format::Recording& recording_;
  const format::Manifest& manifest_;
  device::Device& device_;
  SessionOptions options_;
  LaunchShape shape_;  ///< as launched; the recorded one at first
  DeviceMemory memory_;
  std::vector<MemoryRange> ranges_;
  std::optional<AddressMap> addresses_;
  std::unique_ptr<device::Module> module_;
  device::Kernel* kernel_ = nullptr;
  std::vector<std::byte> arguments_;
  std::vector<std::byte> kept_;  ///< changed chunks' bytes before the launch, in changedChunks() order
};

}  // namespace mneme::replay
