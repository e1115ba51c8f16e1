// SPDX-License-Identifier: Apache-2.0
/// The one device: selection, properties, limits, synchronisation.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "backend/host/engine.h"
#include "backend/host/memory.h"
#include "preload/host/api.h"
#include "preload/host/device_attributes.h"
#include "preload/host/device_limits.h"

namespace mneme::host_runtime {
namespace {

constexpr char kBusId[] = "0000:00:00.0";
constexpr int kLimits = cudaLimitPersistingL2CacheSize + 1;

std::atomic<unsigned> deviceFlags{cudaDeviceScheduleAuto};
// CUDA's defaults: stack, printf buffer, malloc heap, sync depth, pending launches, fetch granularity, persisting L2.
std::atomic<size_t> limits[kLimits] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

cudaError_t requireDevice(int device) { return device == kDevice ? cudaSuccess : cudaErrorInvalidDevice; }

template <typename Value>
cudaError_t give(Value* place, Value value) {
  if (!place) return cudaErrorInvalidValue;
  *place = value;
  return cudaSuccess;
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  (void)deviceAttribute(which, value);
  return value;
}

void describeSizes(cudaDeviceProp& p) {
  p.totalGlobalMem = host::Memory::instance().totalBytes();
  p.sharedMemPerBlock = kSharedBytesDefault;
  p.sharedMemPerBlockOptin = kSharedBytesOptIn;
  p.sharedMemPerMultiprocessor = kSharedBytesPerMultiprocessor;
  p.reservedSharedMemPerBlock = kSharedBytesReserved;
  p.totalConstMem = kConstantBytes;
  p.memPitch = INT_MAX;
  p.textureAlignment = p.surfaceAlignment = kPitchAlignment;
  p.texturePitchAlignment = 32;
  p.l2CacheSize = attribute(cudaDevAttrL2CacheSize);
}

void describeShape(cudaDeviceProp& p) {
  p.warpSize = kWarpSize;
  p.regsPerBlock = p.regsPerMultiprocessor = kRegisters;
  p.maxThreadsPerBlock = kMaxThreadsPerBlock;
  p.maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
  p.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
  const int block[] = {kMaxBlockX, kMaxBlockY, kMaxBlockZ};
  const int grid[] = {static_cast<int>(kMaxGridX), static_cast<int>(kMaxGridY), static_cast<int>(kMaxGridZ)};
  std::copy(std::begin(block), std::end(block), p.maxThreadsDim);
  std::copy(std::begin(grid), std::end(grid), p.maxGridSize);
  p.cooperativeLaunch = 1;
  p.multiProcessorCount = static_cast<int>(host::coreCount());
  p.clockRate = attribute(cudaDevAttrClockRate);
  p.memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  p.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
}

void describeAbilities(cudaDeviceProp& p) {
  p.major = kMajor;
  p.minor = kMinor;
  p.integrated = p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
  p.concurrentKernels = p.asyncEngineCount = p.streamPrioritiesSupported = p.hostNativeAtomicSupported = 1;
  p.canUseHostPointerForRegisteredMem = p.hostRegisterSupported = p.memoryPoolsSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = p.directManagedMemAccessFromHost = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
}

cudaError_t describe(cudaDeviceProp* properties, int device) {
  if (!properties) return cudaErrorInvalidValue;
  if (cudaError_t error = requireDevice(device)) return error;
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "Mneme %s", host::processorName().c_str());
  describeSizes(*properties);
  describeShape(*properties);
  describeAbilities(*properties);
  return cudaSuccess;
}

bool isLimit(cudaLimit limit) { return static_cast<unsigned>(limit) < kLimits; }

cudaError_t reset() {
  clearFault();
  return cudaSuccess;
}

}  // namespace
}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return call([&] { return give(count, 1); });
}
cudaError_t cudaGetDevice(int* device) {
  return call([&] { return give(device, kDevice); });
}
cudaError_t cudaSetDevice(int device) {
  return call([&] { return requireDevice(device); });
}
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  return call([&] { return requireDevice(device); });
}
cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call([&] {
    if (count < 0 || (count && !devices)) return cudaErrorInvalidValue;
    bool valid = std::all_of(devices, devices + count, [](int d) { return d == kDevice; });
    return valid ? cudaSuccess : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
  return call([&] { return properties ? give(device, kDevice) : cudaErrorInvalidValue; });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call([&] { return describe(properties, device); });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return call([&] {
    if (!value) return cudaErrorInvalidValue;
    if (cudaError_t error = requireDevice(device)) return error;
    return deviceAttribute(which, *value) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return call([] { return cudaErrorInvalidDevice; });  // takes two devices, and there is one
}
cudaError_t cudaDeviceGetPCIBusId(char* busId, int length, int device) {
  return call([&] {
    if (!busId || length < static_cast<int>(sizeof kBusId)) return cudaErrorInvalidValue;
    if (cudaError_t error = requireDevice(device)) return error;
    std::memcpy(busId, kBusId, sizeof kBusId);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* busId) {
  return call([&] {
    if (!busId) return cudaErrorInvalidValue;
    return std::strcmp(busId, kBusId) == 0 ? give(device, kDevice) : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return call([&] { return give(flags, deviceFlags.load()); });
}
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return call([&] {
    if (flags & ~static_cast<unsigned>(cudaDeviceMask)) return cudaErrorInvalidValue;
    deviceFlags = flags;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSynchronize(void) {
  return call([] { return cudaSuccess; });
}
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceReset(void) { return reset(); }
cudaError_t cudaThreadExit(void) { return reset(); }
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return call([&] { return isLimit(limit) ? give(value, limits[limit].load()) : cudaErrorUnsupportedLimit; });
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return call([&] {
    if (!isLimit(limit)) return cudaErrorUnsupportedLimit;
    limits[limit] = value;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return call([&] { return give(config, cudaFuncCachePreferNone); });
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return call([] { return cudaSuccess; });  // a hint, by CUDA's own words
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return call([&] { return give(config, cudaSharedMemBankSizeFourByte); });
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return call([] { return cudaSuccess; });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&] {
    if (requireDevice(device) || requireDevice(peer)) return cudaErrorInvalidDevice;
    return give(can, 0);  // a device is not its own peer
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) {
  return call([] { return cudaErrorInvalidDevice; });
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
  return call([] { return cudaErrorInvalidDevice; });
}
cudaError_t cudaDriverGetVersion(int* version) {
  return call([&] { return give(version, CUDART_VERSION); });
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return call([&] { return give(version, CUDART_VERSION); });
}
cudaError_t cudaProfilerStart(void) {
  return call([] { return cudaSuccess; });
}
cudaError_t cudaProfilerStop(void) {
  return call([] { return cudaSuccess; });
}

}  // extern "C"
