// SPDX-License-Identifier: Apache-2.0
/// One table of attribute values; an attribute of CUDA that is not in it is something the device lacks: 0.
#include "preload/host/device_attributes.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <unordered_map>

#include "backend/host/engine.h"
#include "preload/host/device_limits.h"

namespace mneme::host_runtime {
namespace {

int cacheBytes() {
  long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return static_cast<int>(std::clamp<long>(bytes, 1 << 20, INT_MAX));
}

const std::unordered_map<int, int>& table() {
  static const std::unordered_map<int, int> values{
      {cudaDevAttrMaxThreadsPerBlock, kMaxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, kMaxBlockX},
      {cudaDevAttrMaxBlockDimY, kMaxBlockY},
      {cudaDevAttrMaxBlockDimZ, kMaxBlockZ},
      {cudaDevAttrMaxGridDimX, static_cast<int>(kMaxGridX)},
      {cudaDevAttrMaxGridDimY, static_cast<int>(kMaxGridY)},
      {cudaDevAttrMaxGridDimZ, static_cast<int>(kMaxGridZ)},
      {cudaDevAttrMaxSharedMemoryPerBlock, kSharedBytesDefault},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, kSharedBytesOptIn},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, kSharedBytesPerMultiprocessor},
      {cudaDevAttrReservedSharedMemoryPerBlock, kSharedBytesReserved},
      {cudaDevAttrTotalConstantMemory, kConstantBytes},
      {cudaDevAttrWarpSize, kWarpSize},
      {cudaDevAttrMaxPitch, INT_MAX},
      {cudaDevAttrMaxRegistersPerBlock, kRegisters},
      {cudaDevAttrMaxRegistersPerMultiprocessor, kRegisters},
      {cudaDevAttrClockRate, 1000000},  // clock() counts nanoseconds: 1 GHz in kHz
      {cudaDevAttrMemoryClockRate, 1600000},
      {cudaDevAttrGlobalMemoryBusWidth, 128},
      {cudaDevAttrL2CacheSize, cacheBytes()},
      {cudaDevAttrCooperativeLaunch, 1},
      {cudaDevAttrMultiProcessorCount, static_cast<int>(host::coreCount())},
      {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsPerMultiprocessor},
      {cudaDevAttrMaxBlocksPerMultiprocessor, kBlocksPerMultiprocessor},
      {cudaDevAttrTextureAlignment, kPitchAlignment},
      {cudaDevAttrSurfaceAlignment, kPitchAlignment},
      {cudaDevAttrTexturePitchAlignment, 32},
      {cudaDevAttrComputeCapabilityMajor, kMajor},
      {cudaDevAttrComputeCapabilityMinor, kMinor},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
      {cudaDevAttrIntegrated, 1},
      {cudaDevAttrCanMapHostMemory, 1},
      {cudaDevAttrGpuOverlap, 1},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrAsyncEngineCount, 1},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrConcurrentManagedAccess, 1},
      {cudaDevAttrDirectManagedMemAccessFromHost, 1},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrGlobalL1CacheSupported, 1},
      {cudaDevAttrLocalL1CacheSupported, 1},
      {cudaDevAttrHostNativeAtomicSupported, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrMemoryPoolsSupported, 1},
  };
  return values;
}

}  // namespace

bool deviceAttribute(cudaDeviceAttr attribute, int& value) {
  if (attribute <= 0 || attribute >= cudaDevAttrMax) return false;
  auto found = table().find(attribute);
  value = found == table().end() ? 0 : found->second;
  return true;
}

}  // namespace mneme::host_runtime
