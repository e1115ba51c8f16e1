// SPDX-License-Identifier: Apache-2.0
/// Attributes of kernels, and how many of their blocks a multiprocessor would hold.
#include <algorithm>

#include "preload/host/api.h"
#include "preload/host/device_limits.h"
#include "preload/host/module_registry.h"

namespace mneme::host_runtime {
namespace {

/// The kernel behind a host stub, compiled; CUDA's error code if there is none.
cudaError_t find(const void* function, KernelEntry*& entry, const host::KernelDescriptor*& descriptor) {
  entry = ModuleRegistry::instance().kernel(function);
  if (!entry) return cudaErrorInvalidDeviceFunction;
  auto kernel = entry->kernel();
  if (!kernel) return toCuda(kernel.error());
  descriptor = &(*kernel)->descriptor();
  return cudaSuccess;
}

int maxThreads(const host::KernelDescriptor& kernel) {
  return kernel.maxThreads ? std::min<int>(static_cast<int>(kernel.maxThreads), kMaxThreadsPerBlock) : kMaxThreadsPerBlock;
}

int maxDynamicShared(const KernelEntry& entry, const host::KernelDescriptor& kernel) {
  int64_t set = entry.maxDynamicSharedBytes;
  return static_cast<int>(set >= 0 ? set : kSharedBytesDefault - static_cast<int64_t>(kernel.staticSharedBytes));
}

cudaError_t describe(cudaFuncAttributes* attributes, const void* function) {
  if (!attributes) return cudaErrorInvalidValue;
  KernelEntry* entry = nullptr;
  const host::KernelDescriptor* kernel = nullptr;
  if (cudaError_t error = find(function, entry, kernel)) return error;
  *attributes = {};
  attributes->sharedSizeBytes = kernel->staticSharedBytes;
  attributes->maxThreadsPerBlock = maxThreads(*kernel);
  attributes->numRegs = 32;  // a CPU has no per-thread register file to report
  attributes->ptxVersion = attributes->binaryVersion = kMajor * 10 + kMinor;
  attributes->maxDynamicSharedSizeBytes = maxDynamicShared(*entry, *kernel);
  attributes->preferredShmemCarveout = static_cast<int>(entry->sharedCarveout);
  return cudaSuccess;
}

cudaError_t set(const void* function, cudaFuncAttribute attribute, int value) {
  KernelEntry* entry = nullptr;
  const host::KernelDescriptor* kernel = nullptr;
  if (cudaError_t error = find(function, entry, kernel)) return error;
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || value + static_cast<int64_t>(kernel->staticSharedBytes) > kSharedBytesOptIn)
        return cudaErrorInvalidValue;
      entry->maxDynamicSharedBytes = value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      entry->sharedCarveout = value;
      return cudaSuccess;
    default: return attribute < cudaFuncAttributeMax ? cudaErrorNotSupported : cudaErrorInvalidValue;
  }
}

/// By threads, shared memory and the limit on blocks; registers never limit here.
cudaError_t residentBlocks(int* blocks, const void* function, int blockSize, size_t dynamicShared) {
  if (!blocks || blockSize <= 0) return cudaErrorInvalidValue;
  KernelEntry* entry = nullptr;
  const host::KernelDescriptor* kernel = nullptr;
  if (cudaError_t error = find(function, entry, kernel)) return error;
  *blocks = 0;
  if (blockSize > maxThreads(*kernel) || dynamicShared > static_cast<size_t>(std::max(0, maxDynamicShared(*entry, *kernel))))
    return cudaSuccess;
  int warps = (blockSize + kWarpSize - 1) / kWarpSize;
  int byThreads = kThreadsPerMultiprocessor / (warps * kWarpSize);
  auto perBlock = static_cast<int>(dynamicShared + kernel->staticSharedBytes) + kSharedBytesReserved;
  *blocks = std::min({byThreads, kSharedBytesPerMultiprocessor / perBlock, kBlocksPerMultiprocessor});
  return cudaSuccess;
}

cudaError_t availableShared(size_t* bytes, const void* function, int blocks, int blockSize) {
  if (!bytes || blocks <= 0 || blockSize <= 0) return cudaErrorInvalidValue;
  KernelEntry* entry = nullptr;
  const host::KernelDescriptor* kernel = nullptr;
  if (cudaError_t error = find(function, entry, kernel)) return error;
  int64_t each = kSharedBytesPerMultiprocessor / blocks - kSharedBytesReserved - static_cast<int64_t>(kernel->staticSharedBytes);
  *bytes = static_cast<size_t>(std::clamp<int64_t>(each, 0, maxDynamicShared(*entry, *kernel)));
  return cudaSuccess;
}

cudaError_t requireKernel(const void* function) {
  return ModuleRegistry::instance().kernel(function) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

}  // namespace
}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call([&] { return describe(attributes, function); });
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call([&] { return set(function, attribute, value); });
}
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return call([&] { return requireKernel(function); });
}
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return call([&] { return requireKernel(function); });
}
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call([&] {
    auto* entry = ModuleRegistry::instance().kernel(function);
    if (!name || !entry) return name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    *name = entry->name.c_str();
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int blockSize,
                                                          size_t dynamicSharedBytes) {
  return call([&] { return residentBlocks(blocks, function, blockSize, dynamicSharedBytes); });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int blockSize,
                                                                   size_t dynamicSharedBytes, unsigned int flags) {
  return call([&] {
    if (flags > cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
    return residentBlocks(blocks, function, blockSize, dynamicSharedBytes);
  });
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int blockSize) {
  return call([&] { return availableShared(bytes, function, blocks, blockSize); });
}

}  // extern "C"
