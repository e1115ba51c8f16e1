// SPDX-License-Identifier: Apache-2.0
/// With CUDA 13 the handle of a launch is a CUkernel for code that cudart loaded, and a CUfunction otherwise: the driver
/// tells them apart by refusing the wrong call.
#include "preload/cuda/kernels.h"

#include <algorithm>
#include <array>

#include "preload/cuda/own_work.h"

namespace mneme::preload {
namespace {

struct CacheEntry {
  CUfunction handle = nullptr;
  CUcontext context = nullptr;
  uint64_t modulesGeneration = 0, attributesGeneration = 0;
  std::shared_ptr<const KnownKernel> kernel;
};

constexpr size_t kCacheEntries = 256;

CacheEntry& cacheEntry(CUfunction handle) {
  thread_local std::array<CacheEntry, kCacheEntries> cache;
  const auto bits = reinterpret_cast<uintptr_t>(handle);
  return cache[(bits >> 4 ^ bits >> 12) % kCacheEntries];
}

template <typename Query>
std::vector<ParameterSlot> askForParameters(Query query) {
  std::vector<ParameterSlot> slots;
  size_t offset = 0, size = 0;
  while (query(slots.size(), &offset, &size) == CUDA_SUCCESS)
    slots.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size)});
  return slots;
}

}  // namespace

const KnownKernel& Kernels::of(CUfunction handle, CUcontext context, const char* symbol, record::Recorder& recorder) {
  CacheEntry& entry = cacheEntry(handle);
  const uint64_t modules = modules_.generation(), attributes = attributesGeneration_.load(std::memory_order_acquire);
  if (entry.handle != handle || entry.context != context || entry.modulesGeneration != modules ||
      entry.attributesGeneration != attributes) {
    entry.kernel = identify(handle, context, symbol, recorder);
    entry.handle = handle;
    entry.context = context;
    entry.modulesGeneration = modules;
    entry.attributesGeneration = attributes;
  }
  return *entry.kernel;
}

std::shared_ptr<const KnownKernel> Kernels::identify(CUfunction handle, CUcontext context, const char* symbol,
                                                     record::Recorder& recorder) {
  OwnWork own(api_);
  auto known = std::make_shared<KnownKernel>();
  const char* name = nullptr;
  const auto asKernel = reinterpret_cast<CUkernel>(handle);
  bool isKernel = api_.cuKernelGetName && api_.cuKernelGetName(&name, asKernel) == CUDA_SUCCESS && name;
  if (!isKernel && (!api_.cuFuncGetName || api_.cuFuncGetName(&name, handle) != CUDA_SUCCESS)) name = symbol;
  if (!isKernel && !api_.cuKernelGetName) isKernel = api_.cuKernelGetFunction(&known->function, asKernel) == CUDA_SUCCESS;
  if (!name) return known;
  known->name = name;

  known->function = handle;
  if (isKernel && api_.cuKernelGetFunction(&known->function, asKernel) != CUDA_SUCCESS) known->function = handle;
  if (api_.cuFuncLoad) api_.cuFuncLoad(known->function);  // a lazily loaded module becomes known now, not in the launch
  api_.cuFuncGetModule(&known->moduleHandle, known->function);
  modules_.claimLastLoaded(known->moduleHandle);
  const auto cubin = modules_.find(known->moduleHandle, context, known->name);
  if (cubin) {
    known->module = cubin->id;
    modules_.announce(*cubin, recorder);
    if (const cubin::Kernel* described = cubin->parsed ? cubin->parsed->kernel(known->name) : nullptr) {
      known->sampling = described->sampling;
      known->usesHeap = described->usesHeap;
      known->launchesKernels = described->launchesKernels;
    }
  }
  known->parameters = parametersOf(handle, isKernel, *known, cubin.get());
  for (const ParameterSlot& slot : known->parameters)
    known->argumentBytes = std::max(known->argumentBytes, slot.offset + slot.size);
  readAttributes(*known);
  return known;
}

std::vector<ParameterSlot> Kernels::parametersOf(CUfunction handle, bool isKernel, const KnownKernel& known,
                                                 const LoadedCubin* cubin) const {
  if (isKernel && api_.cuKernelGetParamInfo)
    return askForParameters([&](size_t index, size_t* offset, size_t* size) {
      return api_.cuKernelGetParamInfo(reinterpret_cast<CUkernel>(handle), index, offset, size);
    });
  if (api_.cuFuncGetParamInfo)
    return askForParameters([&](size_t index, size_t* offset, size_t* size) {
      return api_.cuFuncGetParamInfo(known.function, index, offset, size);
    });
  const cubin::Kernel* described = cubin && cubin->parsed ? cubin->parsed->kernel(known.name) : nullptr;
  return described ? described->parameters : std::vector<ParameterSlot>{};
}

void Kernels::readAttributes(KnownKernel& known) const {
  const auto get = [&](CUfunction_attribute which) -> int64_t {
    int value = -1;
    return api_.cuFuncGetAttribute(&value, which, known.function) == CUDA_SUCCESS ? value : -1;
  };
  known.maxDynamicSharedBytes = get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  known.sharedCarveout = get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
}

}  // namespace mneme::preload
