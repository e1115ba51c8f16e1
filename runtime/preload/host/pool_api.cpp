// SPDX-License-Identifier: Apache-2.0
/// Memory pools and stream-ordered allocation. A pool keeps nothing back: it counts what its users hold.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "backend/host/memory.h"
#include "preload/host/allocation.h"
#include "preload/host/api.h"
#include "preload/host/handles.h"
#include "preload/host/stream.h"

struct CUmemPoolHandle_st {
  uint64_t releaseThreshold = 0, used = 0, usedHigh = 0;
  int reuse[3] = {1, 1, 1};  // follow events, opportunistic, internal dependencies
};

namespace mneme::host_runtime {
namespace {

/// All pools of the process; one lock, pools are no fast path here.
struct Pools {
  Handles<CUmemPoolHandle_st> live;
  cudaMemPool_t standard = live.add(std::make_unique<CUmemPoolHandle_st>());
  std::mutex mutex;
  cudaMemPool_t current = standard;
  struct Holding {
    cudaMemPool_t pool;
    uint64_t size;
  };
  std::unordered_map<void*, Holding> holdings;
};

Pools& pools() {
  static auto* const only = new Pools;
  return *only;
}

cudaMemPool_t currentPool() {
  std::lock_guard lock(pools().mutex);
  return pools().current;
}

cudaError_t allocateFrom(cudaMemPool_t pool, void** pointer, size_t size, cudaStream_t stream) {
  if (!validStream(stream)) return cudaErrorInvalidResourceHandle;
  if (!pools().live.has(pool)) return cudaErrorInvalidValue;
  cudaError_t error = allocate(pointer, size, MemoryKind::Device);
  if (error || !*pointer) return error;
  pools().live.with(pool, [&](CUmemPoolHandle_st& p) {
    p.used += size;
    p.usedHigh = std::max(p.usedHigh, p.used);
  });
  std::lock_guard lock(pools().mutex);
  pools().holdings[*pointer] = {pool, size};
  return cudaSuccess;
}

cudaError_t freeOnStream(void* pointer, cudaStream_t stream) {
  if (!validStream(stream)) return cudaErrorInvalidResourceHandle;
  if (!pointer) return cudaErrorInvalidValue;
  if (cudaError_t error = release(pointer, false)) return error;
  std::lock_guard lock(pools().mutex);
  auto holding = pools().holdings.extract(pointer);
  if (holding)
    pools().live.with(holding.mapped().pool, [&](CUmemPoolHandle_st& p) { p.used -= holding.mapped().size; });
  return cudaSuccess;
}

int reuseIndex(cudaMemPoolAttr attribute) { return static_cast<int>(attribute) - cudaMemPoolReuseFollowEventDependencies; }

cudaError_t getAttribute(const CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute, void* value) {
  auto number = [&](uint64_t n) {
    *static_cast<uint64_t*>(value) = n;
    return cudaSuccess;
  };
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = pool.reuse[reuseIndex(attribute)];
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: return number(pool.releaseThreshold);
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: return number(pool.used);
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: return number(pool.usedHigh);
    default: return cudaErrorInvalidValue;
  }
}

cudaError_t setAttribute(CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute, const void* value) {
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      pool.reuse[reuseIndex(attribute)] = *static_cast<const int*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      pool.releaseThreshold = *static_cast<const uint64_t*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:  // CUDA allows only the reset
      if (*static_cast<const uint64_t*>(value) != 0) return cudaErrorInvalidValue;
      pool.usedHigh = pool.used;
      return cudaSuccess;
    default: return cudaErrorInvalidValue;
  }
}

/// `use(pool)` answers; a dead handle or a missing place for the value is an invalid value.
template <typename Use>
cudaError_t withPool(cudaMemPool_t pool, const void* value, Use&& use) {
  cudaError_t answer = cudaErrorInvalidValue;
  if (value) pools().live.with(pool, [&](CUmemPoolHandle_st& p) { answer = use(p); });
  return answer;
}

cudaError_t choose(cudaMemPool_t* pool, int device, cudaMemPool_t chosen) {
  if (device != kDevice) return cudaErrorInvalidDevice;
  if (!pool) return cudaErrorInvalidValue;
  *pool = chosen;
  return cudaSuccess;
}

cudaError_t destroy(cudaMemPool_t pool) {
  if (pool == pools().standard) return cudaErrorInvalidValue;
  std::lock_guard lock(pools().mutex);
  if (pools().current == pool) pools().current = pools().standard;
  return pools().live.remove(pool) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t create(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
  if (properties->location.type != cudaMemLocationTypeDevice) return cudaErrorNotSupported;
  if (properties->location.id != kDevice) return cudaErrorInvalidDevice;
  if (properties->handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
  *pool = pools().live.add(std::make_unique<CUmemPoolHandle_st>());
  return cudaSuccess;
}

}  // namespace
}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
  return call([&] { return allocateFrom(currentPool(), pointer, size, stream); });
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return call([&] { return allocateFrom(pool, pointer, size, stream); });
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return call([&] { return freeOnStream(pointer, stream); });
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return call([&] { return choose(pool, device, pools().standard); });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return call([&] { return choose(pool, device, currentPool()); });
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call([&] {
    if (device != kDevice) return cudaErrorInvalidDevice;
    if (!pools().live.has(pool)) return cudaErrorInvalidValue;
    std::lock_guard lock(pools().mutex);
    pools().current = pool;
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call([&] { return create(pool, properties); });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call([&] { return destroy(pool); });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return call([&] { return pools().live.has(pool) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call([&] { return withPool(pool, value, [&](auto& p) { return getAttribute(p, attribute, value); }); });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call([&] { return withPool(pool, value, [&](auto& p) { return setAttribute(p, attribute, value); }); });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* descriptors, size_t count) {
  return call([&] {
    if (!descriptors || !pools().live.has(pool)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (descriptors[i].location.type != cudaMemLocationTypeDevice || descriptors[i].location.id != kDevice)
        return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

}  // extern "C"
