// SPDX-License-Identifier: Apache-2.0
/// See device_memory.h.
#include "replay/device_memory.h"

#include <cstring>

namespace mneme::replay {

Expected<void> DeviceMemory::write(uint64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  if (std::byte* host = device_.hostView(address, bytes.size())) {
    std::memcpy(host, bytes.data(), bytes.size());
    return {};
  }
  std::lock_guard lock(mutex_);
  return device_.write(address, bytes);
}

Expected<std::span<const std::byte>> DeviceMemory::view(uint64_t address, size_t size, std::vector<std::byte>& scratch) {
  if (const std::byte* host = device_.hostView(address, size)) return std::span(host, size);
  scratch.resize(size);
  std::lock_guard lock(mutex_);
  auto read = device_.read(address, scratch);
  if (!read) return std::move(read).error();
  return std::span<const std::byte>(scratch);
}

}  // namespace mneme::replay
