// SPDX-License-Identifier: Apache-2.0
/// A device's memory for many threads at once: straight into host-visible memory where the device shows it, else through the
/// device's own calls, one at a time where it cannot do several.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "device/device.h"

namespace mneme::replay {

class DeviceMemory {
 public:
  explicit DeviceMemory(device::Device& device) : device_(device) {}

  [[nodiscard]] Expected<void> write(uint64_t address, std::span<const std::byte> bytes);
  /// The device's bytes: in place, or copied into `scratch`, which must outlive the result.
  [[nodiscard]] Expected<std::span<const std::byte>> view(uint64_t address, size_t size, std::vector<std::byte>& scratch);

 private:
  [[nodiscard]] std::unique_lock<std::mutex> turn();

  std::mutex mutex_;
  device::Device& device_;
};

}  // namespace mneme::replay
