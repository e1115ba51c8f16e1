// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/allocations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mneme::preload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// A driver with one reservation of seven pages, of which all but the fifth are mapped one by one, and an ordinary
/// allocation of half a page that says it lies in a larger block.
constexpr uint64_t kPage = 0x200000, kReserved = 0x100000000, kOrdinary = 0x300000000;

bool isReserved(uint64_t address) { return address >= kReserved && address < kReserved + 7 * kPage; }

CUresult addressRange(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  const bool ordinary = address >= kOrdinary && address < kOrdinary + kPage / 2;
  if (!ordinary && (!isReserved(address) || (address - kReserved) / kPage == 4)) return CUDA_ERROR_NOT_FOUND;
  *base = ordinary ? kOrdinary : address / kPage * kPage;
  *size = ordinary ? kPage / 2 : kPage;
  return CUDA_SUCCESS;
}

CUresult pointerAttributes(unsigned count, CUpointer_attribute* names, void** values, CUdeviceptr address) {
  const uint64_t base = isReserved(address) ? kReserved : kOrdinary, size = isReserved(address) ? 7 * kPage : kPage;
  for (unsigned i = 0; i < count; ++i) {
    if (names[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) *static_cast<unsigned*>(values[i]) = CU_MEMORYTYPE_DEVICE;
    if (names[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) *static_cast<CUdeviceptr*>(values[i]) = base;
    if (names[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE) *static_cast<size_t*>(values[i]) = size;
  }
  return CUDA_SUCCESS;
}

cuda::Api driverWithMappings() {
  cuda::Api api;
  api.cuMemGetAddressRange = addressRange;
  api.cuPointerGetAttributes = pointerAttributes;
  api.cuMemRetainAllocationHandle = [](CUmemGenericAllocationHandle*, void* address) {
    return isReserved(reinterpret_cast<uint64_t>(address)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  api.cuMemRelease = [](CUmemGenericAllocationHandle) { return CUDA_SUCCESS; };
  return api;
}

TEST(ResolveByDriver, JoinsMappingsUpToAHole) {
  const cuda::Api api = driverWithMappings();
  for (const uint64_t address : {kReserved, kReserved + kPage + 8, kReserved + 4 * kPage - 1})
    EXPECT_EQ(resolveByDriver(api, address, {}), (MemoryRange{kReserved, 4 * kPage, MemoryKind::Device, {}}));
  EXPECT_EQ(resolveByDriver(api, kReserved + 6 * kPage, {}),
            (MemoryRange{kReserved + 5 * kPage, 2 * kPage, MemoryKind::Device, {}}));
  EXPECT_EQ(resolveByDriver(api, kReserved + 4 * kPage, {}), std::nullopt);
}

TEST(ResolveByDriver, LeavesOrdinaryAllocationsAlone) {
  EXPECT_EQ(resolveByDriver(driverWithMappings(), kOrdinary + 8, {}),
            (MemoryRange{kOrdinary, kPage / 2, MemoryKind::Device, {}}));
}

TEST(Allocations, AFreeThatFailsCanBeUndone) {
  Allocations allocations;
  allocations.add(0x1000, MemoryKind::Device);
  const auto removed = allocations.remove(0x1000);
  EXPECT_THAT(allocations.all(), IsEmpty());
  allocations.addAll(removed);
  EXPECT_THAT(allocations.all(), ElementsAre(Pair(0x1000, MemoryKind::Device)));
}

TEST(Allocations, AnAddressUsedAgainBeforeTheUndoKeepsItsNewKind) {
  Allocations allocations;
  allocations.add(0x1000, MemoryKind::Device);
  const auto removed = allocations.remove(0x1000);
  allocations.add(0x1000, MemoryKind::Managed);
  allocations.addAll(removed);
  EXPECT_EQ(allocations.kindAt(0x1000), MemoryKind::Managed);
}

TEST(Allocations, UnmappingTakesWhatBeginsInside) {
  Allocations allocations;
  for (const uint64_t address : {0x1000, 0x2000, 0x3000}) allocations.add(address, MemoryKind::Device);
  EXPECT_EQ(allocations.remove(0x1800, 0x1800).size(), 1u);
  EXPECT_THAT(allocations.all(), ElementsAre(Pair(0x1000, testing::_), Pair(0x3000, testing::_)));
  EXPECT_THAT(allocations.remove(0x1001), IsEmpty());
}

TEST(Allocations, NullIsNoAllocation) {
  Allocations allocations;
  allocations.add(0, MemoryKind::Pinned);
  EXPECT_THAT(allocations.all(), IsEmpty());
}

}  // namespace
}  // namespace mneme::preload
