// SPDX-License-Identifier: Apache-2.0
/// See device_memory.h.
#include "replay/device_memory.h"

#include <cstring>

namespace mneme::replay {

std::unique_lock<std::mutex> DeviceMemory::turn() {
  return device_.copiesConcurrently() ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
}

Expected<void> DeviceMemory::write(uint64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  if (std::byte* host = device_.hostView(address, bytes.size())) {
    std::memcpy(host, bytes.data(), bytes.size());
    return {};
  }
  auto lock = turn();
  return device_.write(address, bytes);
}

Expected<std::span<const std::byte>> DeviceMemory::view(uint64_t address, size_t size, std::vector<std::byte>& scratch) {
  if (const std::byte* host = device_.hostView(address, size)) return std::span(host, size);
  scratch.resize(size);
  auto lock = turn();
  auto read = device_.read(address, scratch);
  if (!read) return std::move(read).error();
  return std::span<const std::byte>(scratch);
}

}  // namespace mneme::replay
