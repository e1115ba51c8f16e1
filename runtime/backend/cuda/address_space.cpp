// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/address_space.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

#include "base/log.h"

namespace mneme::cuda {
namespace {

// CU_MEM_LOCATION_TYPE_HOST and _HOST_NUMA; the oldest headers lack the first.
constexpr auto kHostLocation = static_cast<CUmemLocationType>(2);
constexpr auto kHostNumaLocation = static_cast<CUmemLocationType>(3);

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

AddressSpace::~AddressSpace() {
  for (const Allocation& allocation : allocations_) {
    if (allocation.host)
      api_.cuMemFreeHost(reinterpret_cast<void*>(allocation.bytes.begin));
    else
      api_.cuMemFree(allocation.bytes.begin);
  }
  for (const Mapping& mapping : mappings_) unmap(mapping);
  for (const Interval& interval : reserved_) api_.cuMemAddressFree(interval.begin, interval.size());
}

bool AddressSpace::isGiven(const MemoryRange& range) const {
  const auto after = given_.lower_bound(range.address + range.size);
  return range.size > 0 && after != given_.begin() && std::prev(after)->second > range.address;
}

Expected<void> AddressSpace::reserve(std::span<const MemoryRange> ranges) {
  lastReserved_ = 0;
  lastGiven_.clear();
  if (const auto reason = refuse(ranges)) return Error(ErrorCode::Unavailable, *reason);
  for (const MemoryRange& range : ranges)
    if (isGiven(range))
      return Error(ErrorCode::Unavailable, "the addresses from " + hex(range.address) + " on are reserved already");
  for (const Interval& wanted : granuleRuns(ranges, reserved_)) {
    CUdeviceptr got = 0;
    const CUresult result = api_.cuMemAddressReserve(&got, wanted.size(), 0, wanted.begin, 0);
    if (result == CUDA_SUCCESS && got == wanted.begin) {
      reserved_.push_back(wanted);
      ++lastReserved_;
      continue;
    }
    if (result == CUDA_SUCCESS) api_.cuMemAddressFree(got, wanted.size());
    unreserveLast();
    return Error(ErrorCode::Unavailable, "the addresses from " + hex(wanted.begin) + " to " + hex(wanted.end) +
                                             " are taken in this process");
  }
  for (const MemoryRange& range : ranges) {
    uint64_t& end = given_[range.address];
    end = std::max(end, range.address + range.size);
    lastGiven_.push_back(range.address);
  }
  return {};
}

void AddressSpace::unreserveLast() {
  for (const uint64_t address : lastGiven_) given_.erase(address);
  lastGiven_.clear();
  for (; lastReserved_ > 0; --lastReserved_) {
    api_.cuMemAddressFree(reserved_.back().begin, reserved_.back().size());
    reserved_.pop_back();
  }
}

CUmemAllocationProp AddressSpace::propertiesOf(bool host) const {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = host ? kHostLocation : CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = host ? 0 : device_;
  return properties;
}

Expected<AddressSpace::Mapping> AddressSpace::mapRun(const MappedRun& run) {
  Mapping mapping{run, 0};
  CUmemAllocationProp properties = propertiesOf(run.host);
  CUresult created = api_.cuMemCreate(&mapping.memory, run.pages.size(), &properties, 0);
  if (created != CUDA_SUCCESS && run.host) {
    properties.location.type = kHostNumaLocation;  // drivers that do not take HOST take a node
    created = api_.cuMemCreate(&mapping.memory, run.pages.size(), &properties, 0);
  }
  if (auto ok = api_.check(created, "cuMemCreate"); !ok)
    return std::move(ok).error().context(std::to_string(run.pages.size() >> 20) + " MiB at " + hex(run.pages.begin));

  const CUresult mapped = api_.cuMemMap(run.pages.begin, run.pages.size(), 0, mapping.memory, 0);
  if (auto ok = api_.check(mapped, "cuMemMap"); !ok) {
    api_.cuMemRelease(mapping.memory);
    return std::move(ok).error().context(hex(run.pages.begin));
  }
  CUmemAccessDesc access[2]{};
  access[0].location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access[0].location.id = device_;
  access[0].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  access[1].location = properties.location;
  access[1].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const CUresult granted = api_.cuMemSetAccess(run.pages.begin, run.pages.size(), access, run.host ? 2 : 1);
  if (auto ok = api_.check(granted, "cuMemSetAccess"); !ok) {
    unmap(mapping);
    return std::move(ok).error().context(hex(run.pages.begin));
  }
  return mapping;
}

void AddressSpace::unmap(const Mapping& mapping) {
  api_.cuMemUnmap(mapping.run.pages.begin, mapping.run.pages.size());
  api_.cuMemRelease(mapping.memory);
}

Expected<void> AddressSpace::map(std::span<const MemoryRange> ranges) {
  std::vector<MappedRun> present;
  for (const Mapping& mapping : mappings_) present.push_back(mapping.run);
  const size_t before = mappings_.size();
  for (const MappedRun& run : pageRuns(ranges, present)) {
    auto mapping = mapRun(run);
    if (!mapping) {
      for (; mappings_.size() > before; mappings_.pop_back()) unmap(mappings_.back());
      return std::move(mapping).error();
    }
    mappings_.push_back(*mapping);
  }
  if (std::ranges::count(ranges, MemoryKind::Managed, &MemoryRange::kind) != 0)
    logOnce(LogLevel::Warn, "managed memory is replayed as device memory: page faults and migration are not repeated");
  return {};
}

Expected<uint64_t> AddressSpace::allocate(uint64_t size, MemoryKind kind) {
  if (size == 0) return Error(ErrorCode::InvalidArgument, "an allocation of no bytes");
  const bool host = kind == MemoryKind::Pinned || kind == MemoryKind::Registered;
  CUdeviceptr address = 0;
  void* pointer = nullptr;
  const CUresult result = host ? api_.cuMemHostAlloc(&pointer, size, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE)
                               : api_.cuMemAlloc(&address, size);
  if (auto ok = api_.check(result, host ? "cuMemHostAlloc" : "cuMemAlloc"); !ok)
    return std::move(ok).error().context(std::to_string(size >> 20) + " MiB");
  if (host) address = reinterpret_cast<CUdeviceptr>(pointer);
  allocations_.push_back({{address, address + size}, host});
  return uint64_t{address};
}

}  // namespace mneme::cuda
