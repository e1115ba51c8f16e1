// SPDX-License-Identifier: Apache-2.0
/// A CUDA driver made of host memory: everything happens at once, and what was asked is remembered. Enough for memory at
/// addresses, copies, events, and the recorder's own kernels, which it runs by name.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backend/cuda/api.h"

namespace mneme::cuda {

struct FakeDriver {
  std::vector<std::string> calls;       ///< of the virtual-memory API, in order
  std::map<uint64_t, uint64_t> reserved, mapped;
  std::vector<std::pair<uint64_t, uint64_t>> copies;  ///< size and kind: 0 up, 1 down, 2 inside
  uint64_t refuseReservationAt = 0;     ///< an address that lies elsewhere when it is asked for
  uint64_t freeBytes = uint64_t{8} << 30;
  bool busy = false;                    ///< events are never done
  CUresult createResult = CUDA_SUCCESS;
};

inline FakeDriver& fake() {
  static FakeDriver driver;
  return driver;
}

inline void noteCopy(uint64_t size, uint64_t kind) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  fake().copies.emplace_back(size, kind);
}

inline void* at(uint64_t address) { return reinterpret_cast<void*>(address); }

/// The recorder's kernels, as snapshot_kernels.cu has them.
inline void runReach(void** p) {
  const auto u64 = [&](int i) { return *static_cast<unsigned long long*>(p[i]); };
  const auto* begins = static_cast<const uint64_t*>(at(u64(2)));
  const auto* ends = static_cast<const uint64_t*>(at(u64(3)));
  const unsigned ranges = *static_cast<unsigned*>(p[4]);
  const uint64_t first = (u64(0) + 7) / 8 * 8;
  for (uint64_t word = first; word + 8 <= u64(0) + u64(1); word += 8)
    for (unsigned r = 0; r < ranges; ++r)
      if (const uint64_t value = *static_cast<const uint64_t*>(at(word)); value >= begins[r] && value < ends[r])
        static_cast<unsigned char*>(at(u64(5)))[r] = 1;
}

inline void runOwnKernel(const std::string& name, unsigned block, void** p) {
  if (name == "mneme_hold") return;
  if (name == "mneme_reach") {
    if (block == 0) runReach(p);
    return;
  }
  const auto u64 = [&](int i) { return *static_cast<unsigned long long*>(p[i]); };
  const uint64_t size = u64(2), chunk = u64(3);
  if (name == "mneme_compare") {
    const uint64_t begin = block * chunk, count = std::min(chunk, size - begin);
    static_cast<unsigned char*>(at(u64(4)))[block] = std::memcmp(at(u64(0) + begin), at(u64(1) + begin), count) != 0;
  } else if (name == "mneme_gather") {
    const uint64_t begin = static_cast<unsigned*>(at(u64(4)))[block] * chunk, count = std::min(chunk, size - begin);
    std::memcpy(at(u64(1) + block * chunk), at(u64(0) + begin), count);
  }
}

inline Api makeFakeApi() {
  fake() = {};
  Api api;
  api.cuGetErrorName = [](CUresult, const char** text) { *text = "FAKE_ERROR"; return CUDA_SUCCESS; };
  api.cuGetErrorString = [](CUresult, const char** text) { *text = "fake error"; return CUDA_SUCCESS; };
  api.cuCtxGetDevice = [](CUdevice* device) { *device = 0; return CUDA_SUCCESS; };
  api.cuCtxPushCurrent = [](CUcontext) { return CUDA_SUCCESS; };
  api.cuCtxPopCurrent = [](CUcontext*) { return CUDA_SUCCESS; };
  api.cuThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode*) { return CUDA_SUCCESS; };
  api.cuMemGetInfo = [](size_t* free, size_t* total) {
    *free = fake().freeBytes;
    *total = size_t{8} << 30;
    return CUDA_SUCCESS;
  };
  api.cuMemAddressReserve = [](CUdeviceptr* got, size_t size, size_t, CUdeviceptr wanted, unsigned long long) {
    const bool moved = wanted == fake().refuseReservationAt;
    void* memory = mmap(moved ? nullptr : at(wanted), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *got = reinterpret_cast<CUdeviceptr>(memory);
    fake().reserved[*got] = size;
    fake().calls.push_back("reserve");
    return CUDA_SUCCESS;
  };
  api.cuMemAddressFree = [](CUdeviceptr address, size_t size) {
    munmap(at(address), size);
    fake().reserved.erase(address);
    return CUDA_SUCCESS;
  };
  api.cuMemCreate = [](CUmemGenericAllocationHandle* handle, size_t, const CUmemAllocationProp* how, unsigned long long) {
    fake().calls.push_back(how->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? "create device" : "create host");
    *handle = 1;
    return fake().createResult;
  };
  api.cuMemRelease = [](CUmemGenericAllocationHandle) { return CUDA_SUCCESS; };
  api.cuMemMap = [](CUdeviceptr address, size_t size, size_t, CUmemGenericAllocationHandle, unsigned long long) {
    mprotect(at(address), size, PROT_READ | PROT_WRITE);
    fake().mapped[address] = size;
    return CUDA_SUCCESS;
  };
  api.cuMemUnmap = [](CUdeviceptr address, size_t size) {
    mprotect(at(address), size, PROT_NONE);
    fake().mapped.erase(address);
    return CUDA_SUCCESS;
  };
  api.cuMemSetAccess = [](CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) { return CUDA_SUCCESS; };
  api.cuMemHostAlloc = [](void** memory, size_t size, unsigned) { *memory = std::malloc(size); return CUDA_SUCCESS; };
  api.cuMemFreeHost = [](void* memory) { std::free(memory); return CUDA_SUCCESS; };
  api.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void* from, size_t size, CUstream) {
    noteCopy(size, 0);
    std::memcpy(at(to), from, size);
    return CUDA_SUCCESS;
  };
  api.cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, size_t size, CUstream) {
    noteCopy(size, 1);
    std::memcpy(to, at(from), size);
    return CUDA_SUCCESS;
  };
  api.cuMemcpyDtoDAsync = [](CUdeviceptr to, CUdeviceptr from, size_t size, CUstream) {
    noteCopy(size, 2);
    std::memcpy(at(to), at(from), size);
    return CUDA_SUCCESS;
  };
  api.cuStreamCreate = [](CUstream* stream, unsigned) { *stream = reinterpret_cast<CUstream>(77); return CUDA_SUCCESS; };
  api.cuStreamDestroy = [](CUstream) { return CUDA_SUCCESS; };
  api.cuStreamSynchronize = [](CUstream) { return CUDA_SUCCESS; };
  api.cuEventCreate = [](CUevent* event, unsigned) { *event = reinterpret_cast<CUevent>(1); return CUDA_SUCCESS; };
  api.cuEventDestroy = [](CUevent) { return CUDA_SUCCESS; };
  api.cuEventRecord = [](CUevent, CUstream) { return CUDA_SUCCESS; };
  api.cuEventElapsedTime = [](float* milliseconds, CUevent, CUevent) { *milliseconds = 0.5f; return CUDA_SUCCESS; };
  api.cuEventSynchronize = [](CUevent) { return CUDA_SUCCESS; };
  api.cuEventQuery = [](CUevent) { return fake().busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS; };
  api.cuModuleLoadDataEx = [](CUmodule*, const void*, unsigned, CUjit_option*, void**) { return CUDA_SUCCESS; };
  api.cuModuleUnload = [](CUmodule) { return CUDA_SUCCESS; };
  api.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char* name) {
    *function = reinterpret_cast<CUfunction>(const_cast<char*>(name));
    return CUDA_SUCCESS;
  };
  api.cuLaunchKernel = [](CUfunction function, unsigned blocks, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          CUstream, void** parameters, void**) {
    for (unsigned block = 0; block < blocks; ++block)
      runOwnKernel(reinterpret_cast<const char*>(function), block, parameters);
    return CUDA_SUCCESS;
  };
  return api;
}

}  // namespace mneme::cuda
