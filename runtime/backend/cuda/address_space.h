// SPDX-License-Identifier: Apache-2.0
/// CUDA's memory at recorded addresses: reservations, the physical memory mapped into them, and fresh allocations.
/// Reservations are made before the context exists; everything is given back by the destructor, while it still does.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "backend/cuda/api.h"
#include "backend/cuda/granules.h"
#include "base/error.h"
#include "base/launch.h"

namespace mneme::cuda {

class AddressSpace {
 public:
  AddressSpace(const Api& api, int device) : api_(api), device_(device) {}
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace();

  /// Reserves the granules of the ranges, needing no context. Unavailable if one lies elsewhere then, or if one of the
  /// bytes was reserved before; nothing stays.
  [[nodiscard]] Expected<void> reserve(std::span<const MemoryRange> ranges);
  /// Maps memory of the ranges' kinds into what is reserved. After a failure nothing of this call stays mapped.
  [[nodiscard]] Expected<void> map(std::span<const MemoryRange> ranges);
  /// Gives back the reservations of the last reserve().
  void unreserveLast();

  [[nodiscard]] Expected<uint64_t> allocate(uint64_t size, MemoryKind kind);

 private:
  struct Mapping {
    MappedRun run;
    CUmemGenericAllocationHandle memory;
  };
  struct Allocation {
    Interval bytes;
    bool host;
  };
  [[nodiscard]] Expected<Mapping> mapRun(const MappedRun& run);
  [[nodiscard]] CUmemAllocationProp propertiesOf(bool host) const;
  void unmap(const Mapping& mapping);
  [[nodiscard]] bool isGiven(const MemoryRange& range) const;

  const Api& api_;
  int device_;
  std::vector<Interval> reserved_;
  size_t lastReserved_ = 0;  ///< of reserved_, made by the last reserve()
  std::map<uint64_t, uint64_t> given_;  ///< begin and end of the ranges themselves, which may share granules and pages
  std::vector<uint64_t> lastGiven_;     ///< of given_, by the last reserve()
  std::vector<Mapping> mappings_;
  std::vector<Allocation> allocations_;
};

}  // namespace mneme::cuda
