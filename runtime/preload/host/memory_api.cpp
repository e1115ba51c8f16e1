// SPDX-License-Identifier: Apache-2.0
/// Allocation of every kind, registration of the program's own memory, and questions about pointers.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "backend/host/memory.h"
#include "preload/host/allocation.h"
#include "preload/host/api.h"
#include "preload/host/device_gate.h"
#include "preload/host/device_limits.h"
#include "preload/host/stream.h"

namespace mneme::host_runtime {
namespace {

host::Memory& memory() { return host::Memory::instance(); }
uint64_t addressOf(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

constexpr unsigned kHostAllocFlags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned kRegisterFlags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

/// The flags that pinned and registered ranges were made with.
class HostFlags {
 public:
  void set(uint64_t base, unsigned flags) {
    std::lock_guard lock(mutex_);
    flags_[base] = flags;
  }
  void forget(uint64_t base) {
    std::lock_guard lock(mutex_);
    flags_.erase(base);
  }
  unsigned of(uint64_t base) {
    std::lock_guard lock(mutex_);
    auto found = flags_.find(base);
    return found == flags_.end() ? 0 : found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<uint64_t, unsigned> flags_;
};

HostFlags& hostFlags() {
  static auto* const only = new HostFlags;
  return *only;
}

bool isPinnedOrRegistered(MemoryKind kind) { return kind == MemoryKind::Pinned || kind == MemoryKind::Registered; }

cudaError_t allocatePinned(void** pointer, size_t size, unsigned flags) {
  if (flags & ~kHostAllocFlags) return cudaErrorInvalidValue;
  cudaError_t error = allocate(pointer, size, MemoryKind::Pinned);
  if (!error && *pointer) hostFlags().set(addressOf(*pointer), flags);
  return error;
}

/// Pitch of rows of `width` bytes; 0 if it overflows.
size_t pitchOf(size_t width) {
  if (width > SIZE_MAX - kPitchAlignment) return 0;
  return (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
}

cudaError_t allocatePitched(void** pointer, size_t* pitch, size_t width, size_t rows) {
  if (!pointer || !pitch) return cudaErrorInvalidValue;
  size_t bytes = pitchOf(width);
  if ((width && !bytes) || (rows && bytes > SIZE_MAX / rows)) return cudaErrorMemoryAllocation;
  *pitch = bytes;
  return allocate(pointer, bytes * rows, MemoryKind::Device);
}

cudaError_t allocateVolume(cudaPitchedPtr* pointer, const cudaExtent& extent) {
  if (!pointer) return cudaErrorInvalidValue;
  if (extent.depth && extent.height > SIZE_MAX / extent.depth) return cudaErrorMemoryAllocation;
  *pointer = cudaPitchedPtr{nullptr, 0, extent.width, extent.height};
  return allocatePitched(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t registerHost(void* pointer, size_t size, unsigned flags) {
  if (!pointer || !size || (flags & ~kRegisterFlags)) return cudaErrorInvalidValue;
  if (size > UINT64_MAX - addressOf(pointer)) return cudaErrorInvalidValue;
  if (!memory().adopt(addressOf(pointer), size)) return cudaErrorHostMemoryAlreadyRegistered;
  hostFlags().set(addressOf(pointer), flags);
  return cudaSuccess;
}

cudaError_t unregisterHost(void* pointer) {
  auto range = memory().resolve(addressOf(pointer));
  if (!range || range->kind != MemoryKind::Registered || range->address != addressOf(pointer))
    return cudaErrorHostMemoryNotRegistered;
  DeviceWork work;
  hostFlags().forget(range->address);
  return memory().release(range->address) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

cudaError_t devicePointer(void** device, void* host) {
  if (!device) return cudaErrorInvalidValue;
  auto range = memory().resolve(addressOf(host));
  if (!range || !(isPinnedOrRegistered(range->kind) || range->kind == MemoryKind::Managed)) {
    *device = nullptr;
    return cudaErrorInvalidValue;
  }
  *device = host;
  return cudaSuccess;
}

cudaMemoryType typeOf(MemoryKind kind) {
  if (isPinnedOrRegistered(kind)) return cudaMemoryTypeHost;
  return kind == MemoryKind::Managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
}

cudaError_t describePointer(cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes) return cudaErrorInvalidValue;
  auto* address = const_cast<void*>(pointer);
  auto range = memory().resolve(addressOf(pointer));
  if (!range) {
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
    return cudaSuccess;
  }
  cudaMemoryType type = typeOf(range->kind);
  *attributes = {type, kDevice, address, type == cudaMemoryTypeDevice ? nullptr : address};
  return cudaSuccess;
}

/// Advice and prefetching mean nothing here, but wrong ranges are found all the same.
cudaError_t requireManaged(const void* pointer, size_t size, int device) {
  auto range = memory().resolve(addressOf(pointer));
  if (!range || !size || range->kind != MemoryKind::Managed) return cudaErrorInvalidValue;
  if (size > range->size - (addressOf(pointer) - range->address)) return cudaErrorInvalidValue;
  return device == kDevice || device == cudaCpuDeviceId ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

cudaError_t allocate(void** pointer, size_t size, MemoryKind kind) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  auto address = memory().allocate(size, 1, kind);
  if (!address) return toCuda(address.error());
  *pointer = reinterpret_cast<void*>(*address);
  return cudaSuccess;
}

cudaError_t release(void* pointer, bool pinned) {
  if (!pointer) return cudaSuccess;
  auto range = memory().resolve(addressOf(pointer));
  if (!range || range->address != addressOf(pointer)) return cudaErrorInvalidValue;
  bool fits = pinned ? range->kind == MemoryKind::Pinned
                     : range->kind == MemoryKind::Device || range->kind == MemoryKind::Managed;
  if (!fits) return cudaErrorInvalidValue;
  DeviceWork work;  // a recording in progress still reads it
  if (pinned) hostFlags().forget(range->address);
  return memory().release(range->address) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t size) {
  return call([&] { return allocate(pointer, size, mneme::MemoryKind::Device); });
}
cudaError_t cudaFree(void* pointer) {
  return call([&] { return release(pointer, false); });
}
cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned int flags) {
  return call([&] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    if (size == 0) return cudaErrorInvalidValue;
    return allocate(pointer, size, mneme::MemoryKind::Managed);
  });
}
cudaError_t cudaMallocHost(void** pointer, size_t size) {
  return call([&] { return allocatePinned(pointer, size, cudaHostAllocDefault); });
}
cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned int flags) {
  return call([&] { return allocatePinned(pointer, size, flags); });
}
cudaError_t cudaFreeHost(void* pointer) {
  return call([&] { return release(pointer, true); });
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return call([&] { return flags ? cudaErrorInvalidValue : devicePointer(device, host); });
}
cudaError_t cudaHostGetFlags(unsigned int* flags, void* host) {
  return call([&] {
    auto range = memory().resolve(addressOf(host));
    if (!flags || !range || !isPinnedOrRegistered(range->kind)) return cudaErrorInvalidValue;
    *flags = hostFlags().of(range->address);
    return cudaSuccess;
  });
}
cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned int flags) {
  return call([&] { return registerHost(pointer, size, flags); });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return call([&] { return unregisterHost(pointer); });
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return call([&] { return allocatePitched(pointer, pitch, width, height); });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  return call([&] { return allocateVolume(pointer, extent); });
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call([&] {
    if (!free || !total) return cudaErrorInvalidValue;
    *free = memory().freeBytes();
    *total = memory().totalBytes();
    return cudaSuccess;
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&] { return describePointer(attributes, pointer); });
}
cudaError_t cudaMemAdvise(const void* pointer, size_t size, cudaMemoryAdvise, int device) {
  return call([&] { return requireManaged(pointer, size, device); });
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t size, int device, cudaStream_t stream) {
  return call([&] {
    return validStream(stream) ? requireManaged(pointer, size, device) : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t, unsigned int flags) {
  return call([&] {
    if (!validStream(stream)) return cudaErrorInvalidResourceHandle;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
      return cudaErrorInvalidValue;
    return requireManaged(pointer, 1, kDevice);
  });
}

}  // extern "C"
