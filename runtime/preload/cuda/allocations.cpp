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

std::optional<MemoryRange> resolveByDriver(const cuda::Api& api, uint64_t address, const Allocations& allocations) {
  CUdeviceptr base = 0;
  size_t size = 0;
  if (api.cuMemGetAddressRange(&base, &size, address) != CUDA_SUCCESS || size == 0) return std::nullopt;
  unsigned type = 0;
  bool managed = false;
  std::array<CUpointer_attribute, 2> attributes{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  std::array<void*, 2> values{&type, &managed};
  api.cuPointerGetAttributes(attributes.size(), attributes.data(), values.data(), address);
  MemoryRange range{base, size, MemoryKind::Device, {}};
  if (managed)
    range.kind = MemoryKind::Managed;
  else if (type == CU_MEMORYTYPE_HOST)
    range.kind = allocations.kindAt(base) == MemoryKind::Registered ? MemoryKind::Registered : MemoryKind::Pinned;
  return range;
}

}  // namespace mneme::preload
