// SPDX-License-Identifier: Apache-2.0
/// Frozen copies of the program's memory: on the device (fast; memory of the virtual-memory API at an own far range, so
/// that the program's addresses stay what they are), or on the host where the device has no room.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/launch.h"
#include "preload/cuda/context.h"
#include "record/recorder.h"

namespace mneme::preload {

/// Device memory that the program does not know of.
class DeviceBlock {
 public:
  /// Unavailable where the program would be left with too little.
  [[nodiscard]] static Expected<std::unique_ptr<DeviceBlock>> make(std::shared_ptr<Context> context, uint64_t size);
  ~DeviceBlock();
  [[nodiscard]] uint64_t address() const { return address_; }
  /// Of this block alone, in this process.
  [[nodiscard]] uint64_t number() const { return number_; }

  /// Bytes held by all blocks of a device; what the program's free memory fell by.
  [[nodiscard]] static uint64_t heldBytes(CUdevice device);

 private:
  DeviceBlock(std::shared_ptr<Context> context, uint64_t size);
  [[nodiscard]] Expected<void> map();

  std::shared_ptr<Context> context_;
  const uint64_t number_;
  uint64_t size_;      ///< whole pages
  uint64_t reserved_;  ///< whole granules
  CUdeviceptr address_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
  bool mapped_ = false;
};

/// Places ranges one after the other so that each copy agrees with its original modulo 16.
struct ScratchLayout {
  explicit ScratchLayout(std::span<const MemoryRange> ranges);
  std::vector<uint64_t> offsets;
  uint64_t size = 0;
};

class DeviceScratch final : public record::MemoryAccess::Scratch {
 public:
  /// `sizes` bytes of copy i lie at offsets[i] of the block.
  DeviceScratch(std::shared_ptr<Context> context, std::unique_ptr<DeviceBlock> block, std::vector<uint64_t> offsets,
                std::vector<uint64_t> sizes)
      : context_(std::move(context)), block_(std::move(block)), offsets_(std::move(offsets)), sizes_(std::move(sizes)) {}

  [[nodiscard]] Expected<void> read(size_t index, uint64_t offset, std::span<std::byte> bytes) override;
  /// On the device for ranges large enough to be worth it.
  [[nodiscard]] std::optional<std::vector<size_t>> reached(size_t index, std::span<const MemoryRange> live) override;
  [[nodiscard]] uint64_t address(size_t index) const { return block_->address() + offsets_[index]; }

 private:
  std::shared_ptr<Context> context_;
  std::unique_ptr<DeviceBlock> block_;
  std::vector<uint64_t> offsets_, sizes_;
};

class HostScratch final : public record::MemoryAccess::Scratch {
 public:
  explicit HostScratch(std::vector<std::vector<std::byte>> copies) : copies_(std::move(copies)) {}
  [[nodiscard]] Expected<void> read(size_t index, uint64_t offset, std::span<std::byte> bytes) override;
  [[nodiscard]] const std::byte* view(size_t index) override { return copies_[index].data(); }

 private:
  std::vector<std::vector<std::byte>> copies_;
};

}  // namespace mneme::preload
