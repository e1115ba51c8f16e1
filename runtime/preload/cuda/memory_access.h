// SPDX-License-Identifier: Apache-2.0
/// The program's memory as the recorder sees it, by the driver. Works for the launch that the calling thread declared
/// with LaunchScope; every call is the recorder's own work and has the deadline of MNEME_RECORD_DEADLINE_MS.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "preload/cuda/allocations.h"
#include "preload/cuda/context.h"
#include "preload/cuda/modules.h"
#include "preload/cuda/scratch.h"
#include "record/recorder.h"

namespace mneme::preload {

class DriverMemory final : public record::MemoryAccess {
 public:
  DriverMemory(const cuda::Api& api, Allocations& allocations, Modules& modules);

  /// The launch that this thread asks about from here on, until clearLaunch(). `stream` is a real handle, with the
  /// legacy and the per-thread default stream by their own names.
  static void setLaunch(std::shared_ptr<Context> context, CUstream stream);
  static void clearLaunch();
  /// Around the program's own launch: its time is then lastKernelNanoseconds().
  void launchBegins();
  void launchEnds();
  /// How long the program may be kept waiting.
  [[nodiscard]] std::chrono::milliseconds patience() const { return patience_; }

  [[nodiscard]] std::optional<MemoryRange> resolve(uint64_t address) override;
  [[nodiscard]] std::vector<MemoryRange> liveRanges() override;
  [[nodiscard]] std::vector<MemoryRange> variables(record::ModuleId module, std::string_view kernel) override;
  /// Addresses of device code cannot be told from the driver's other memory: none is known, the self-check finds out.
  [[nodiscard]] bool isCodeAddress(uint64_t) override { return false; }
  /// The device heap alone, where the context has one in use.
  [[nodiscard]] std::optional<std::vector<MemoryRange>> codeRanges() override;
  [[nodiscard]] Expected<void> read(uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] Expected<std::unique_ptr<Scratch>> capture(std::span<const MemoryRange> ranges) override;
  [[nodiscard]] Expected<Changes> captureChanges(std::span<const MemoryRange> ranges, Scratch& before,
                                                 uint64_t chunkBytes) override;
  [[nodiscard]] std::optional<uint64_t> lastKernelNanoseconds() override;
  [[nodiscard]] Description describe() override;

 private:
  [[nodiscard]] Clock::time_point deadline() const { return Clock::now() + patience_; }
  [[nodiscard]] Expected<std::unique_ptr<Scratch>> captureOnDevice(std::span<const MemoryRange> ranges);
  [[nodiscard]] Expected<std::unique_ptr<Scratch>> captureOnHost(std::span<const MemoryRange> ranges);
  [[nodiscard]] Expected<Changes> changesOnHost(std::span<const MemoryRange> ranges, Scratch& before,
                                                uint64_t chunkBytes);

  const cuda::Api& api_;
  Allocations& allocations_;
  Modules& modules_;
  std::chrono::milliseconds patience_;
};

/// Compares the ranges with their copies on the device and keeps what changed. The launch has finished.
[[nodiscard]] Expected<record::MemoryAccess::Changes> changesOnDevice(const std::shared_ptr<Context>& context,
                                                                      std::span<const MemoryRange> ranges,
                                                                      const DeviceScratch& before, uint64_t chunkBytes,
                                                                      Clock::time_point deadline);

}  // namespace mneme::preload
