// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/allocations.h"

#include <array>

namespace mneme::preload {

void Allocations::add(uint64_t address, MemoryKind kind) {
  if (address == 0) return;
  std::lock_guard lock(mutex_);
  known_[address] = kind;
}

std::map<uint64_t, MemoryKind> Allocations::remove(uint64_t address, uint64_t size) {
  std::map<uint64_t, MemoryKind> removed;
  std::lock_guard lock(mutex_);
  for (auto at = known_.lower_bound(address); at != known_.end() && at->first - address < size; at = known_.erase(at))
    removed.insert(*at);
  return removed;
}

void Allocations::addAll(const std::map<uint64_t, MemoryKind>& allocations) {
  std::lock_guard lock(mutex_);
  known_.insert(allocations.begin(), allocations.end());
}

std::map<uint64_t, MemoryKind> Allocations::all() const {
  std::lock_guard lock(mutex_);
  return known_;
}

std::optional<MemoryKind> Allocations::kindAt(uint64_t address) const {
  std::lock_guard lock(mutex_);
  const auto found = known_.find(address);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

namespace {

struct Mapping {
  CUdeviceptr base = 0;
  size_t size = 0;
};

std::optional<Mapping> mappingAt(const cuda::Api& api, uint64_t address) {
  Mapping found;
  if (api.cuMemGetAddressRange(&found.base, &found.size, address) != CUDA_SUCCESS || found.size == 0) return std::nullopt;
  return found;
}

bool isMappedByHand(const cuda::Api& api, uint64_t address) {
  CUmemGenericAllocationHandle handle = 0;
  if (api.cuMemRetainAllocationHandle(&handle, reinterpret_cast<void*>(address)) != CUDA_SUCCESS) return false;
  api.cuMemRelease(handle);
  return true;
}

/// Of virtual memory the driver names one mapping at a time, but one buffer may lie in several (PyTorch's expandable
/// segments): what is mapped without a hole in one reservation counts as one range.
void joinMappings(const cuda::Api& api, const Mapping& reserved, MemoryRange& range) {
  const uint64_t end = reserved.base + reserved.size;
  while (range.address + range.size < end) {
    const auto next = mappingAt(api, range.address + range.size);
    if (!next || next->base != range.address + range.size) break;
    range.size += next->size;
  }
  while (range.address > reserved.base) {
    const auto previous = mappingAt(api, range.address - 1);
    if (!previous || previous->base >= range.address) break;
    range.size += range.address - previous->base;
    range.address = previous->base;
  }
}

}  // namespace

std::optional<MemoryRange> resolveByDriver(const cuda::Api& api, uint64_t address, const Allocations& allocations) {
  const auto mapping = mappingAt(api, address);
  if (!mapping) return std::nullopt;
  unsigned type = 0;
  bool managed = false;
  Mapping reserved;
  std::array<CUpointer_attribute, 4> attributes{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                                CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::array<void*, 4> values{&type, &managed, &reserved.base, &reserved.size};
  api.cuPointerGetAttributes(attributes.size(), attributes.data(), values.data(), address);
  MemoryRange range{mapping->base, mapping->size, MemoryKind::Device, {}};
  if (reserved.size > range.size && isMappedByHand(api, address)) joinMappings(api, reserved, range);
  if (managed)
    range.kind = MemoryKind::Managed;
  else if (type == CU_MEMORYTYPE_HOST)
    range.kind = allocations.kindAt(mapping->base) == MemoryKind::Registered ? MemoryKind::Registered : MemoryKind::Pinned;
  return range;
}

}  // namespace mneme::preload
