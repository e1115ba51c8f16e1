// SPDX-License-Identifier: Apache-2.0
/// The recorder's view of the host device's memory. Captures are copies by all cores into memory touched beforehand.
#pragma once

#include <chrono>

#include "record/recorder.h"

namespace mneme::host_runtime {

class HostMemoryAccess final : public record::MemoryAccess {
 public:
  /// Starts touching scratch memory in the background.
  void arm();
  /// How long the kernel of this thread's recorded launch ran.
  void setKernelTime(std::chrono::nanoseconds time);

  std::optional<MemoryRange> resolve(uint64_t address) override;
  std::vector<MemoryRange> liveRanges() override;
  std::vector<MemoryRange> variables(record::ModuleId module, std::string_view kernel) override;
  bool isCodeAddress(uint64_t address) override;
  std::optional<std::vector<MemoryRange>> codeRanges() override;
  std::vector<MemoryRange> fleetingRanges() override;
  Expected<void> read(uint64_t address, std::span<std::byte> bytes) override;
  Expected<std::unique_ptr<Scratch>> capture(std::span<const MemoryRange> ranges) override;
  Expected<Changes> captureChanges(std::span<const MemoryRange> ranges, Scratch& before, uint64_t chunkBytes) override;
  std::optional<uint64_t> lastKernelNanoseconds() override;
  Description describe() override;
};

}  // namespace mneme::host_runtime
