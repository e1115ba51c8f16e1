// SPDX-License-Identifier: Apache-2.0
/// The HIP names: the CUDA calls with HIP's error codes.
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>

#include <cstddef>
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

namespace {

hipError_t toHip(cudaError_t error) {
  switch (error) {
#define X(hip, cuda) \
  case cuda: return hip;
#include "preload/host/hip_errors.def"
#undef X
    default: return hipErrorUnknown;
  }
}

/// CUDA's code, whose text says the same.
cudaError_t toCuda(hipError_t error) {
  switch (error) {
#define X(hip, cuda) \
  case hip: return cuda;
#include "preload/host/hip_errors.def"
#undef X
    default: return cudaErrorUnknown;
  }
}

static_assert(sizeof(hipMemcpy3DParms) == sizeof(cudaMemcpy3DParms) &&
              offsetof(hipMemcpy3DParms, kind) == offsetof(cudaMemcpy3DParms, kind));
const cudaMemcpy3DParms* asCuda(const hipMemcpy3DParms* parameters) {
  return reinterpret_cast<const cudaMemcpy3DParms*>(parameters);
}

}  // namespace

extern "C" {

hipError_t hipGetLastError(void) { return toHip(cudaGetLastError()); }
hipError_t hipPeekAtLastError(void) { return toHip(cudaPeekAtLastError()); }
const char* hipGetErrorName(hipError_t error) {
  switch (error) {
#define X(hip, cuda) \
  case hip: return #hip;
#include "preload/host/hip_errors.def"
#undef X
    default: return "hipErrorUnknown";
  }
}
const char* hipGetErrorString(hipError_t error) { return cudaGetErrorString(toCuda(error)); }
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  return toHip(cudaGetDeviceProperties(properties, device));
}

hipError_t hipFree(void* pointer) { return toHip(cudaFree(pointer)); }
hipError_t hipHostFree(void* pointer) { return toHip(cudaFreeHost(pointer)); }
hipError_t hipFreeHost(void* pointer) { return toHip(cudaFreeHost(pointer)); }
hipError_t hipMalloc(void** pointer, size_t size) { return toHip(cudaMalloc(pointer, size)); }
hipError_t hipMallocManaged(void** pointer, size_t size, unsigned int flags) { return toHip(cudaMallocManaged(pointer, size, flags)); }
hipError_t hipHostMalloc(void** pointer, size_t size, unsigned int flags) { return toHip(cudaHostAlloc(pointer, size, flags)); }
hipError_t hipHostAlloc(void** pointer, size_t size, unsigned int flags) { return toHip(cudaHostAlloc(pointer, size, flags)); }
hipError_t hipMallocHost(void** pointer, size_t size) { return toHip(cudaMallocHost(pointer, size)); }
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned int flags) { return toHip(cudaHostGetDevicePointer(device, host, flags)); }
hipError_t hipHostGetFlags(unsigned int* flags, void* host) { return toHip(cudaHostGetFlags(flags, host)); }
hipError_t hipHostRegister(void* pointer, size_t size, unsigned int flags) { return toHip(cudaHostRegister(pointer, size, flags)); }
hipError_t hipHostUnregister(void* pointer) { return toHip(cudaHostUnregister(pointer)); }
hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) { return toHip(cudaMallocPitch(pointer, pitch, width, height)); }
hipError_t hipMallocAsync(void** pointer, size_t size, hipStream_t stream) { return toHip(cudaMallocAsync(pointer, size, stream)); }
hipError_t hipFreeAsync(void* pointer, hipStream_t stream) { return toHip(cudaFreeAsync(pointer, stream)); }
hipError_t hipMemGetInfo(size_t* free, size_t* total) { return toHip(cudaMemGetInfo(free, total)); }
hipError_t hipMemcpy(void* to, const void* from, size_t count, hipMemcpyKind kind) { return toHip(cudaMemcpy(to, from, count, static_cast<cudaMemcpyKind>(kind))); }
hipError_t hipMemcpyAsync(void* to, const void* from, size_t count, hipMemcpyKind kind, hipStream_t stream) { return toHip(cudaMemcpyAsync(to, from, count, static_cast<cudaMemcpyKind>(kind), stream)); }
hipError_t hipMemcpyPeer(void* to, int toDevice, const void* from, int fromDevice, size_t count) { return toHip(cudaMemcpyPeer(to, toDevice, from, fromDevice, count)); }
hipError_t hipMemcpy2D(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height, hipMemcpyKind kind) { return toHip(cudaMemcpy2D(to, toPitch, from, fromPitch, width, height, static_cast<cudaMemcpyKind>(kind))); }
hipError_t hipMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) { return toHip(cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, static_cast<cudaMemcpyKind>(kind), stream)); }
hipError_t hipMemset(void* pointer, int value, size_t count) { return toHip(cudaMemset(pointer, value, count)); }
hipError_t hipMemsetAsync(void* pointer, int value, size_t count, hipStream_t stream) { return toHip(cudaMemsetAsync(pointer, value, count, stream)); }
hipError_t hipMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) { return toHip(cudaMemset2D(pointer, pitch, value, width, height)); }
hipError_t hipMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) { return toHip(cudaMemset2DAsync(pointer, pitch, value, width, height, stream)); }
hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, size_t count, size_t offset, hipMemcpyKind kind) { return toHip(cudaMemcpyToSymbol(symbol, from, count, offset, static_cast<cudaMemcpyKind>(kind))); }
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, size_t count, size_t offset, hipMemcpyKind kind) { return toHip(cudaMemcpyFromSymbol(to, symbol, count, offset, static_cast<cudaMemcpyKind>(kind))); }
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, size_t count, size_t offset, hipMemcpyKind kind, hipStream_t stream) { return toHip(cudaMemcpyToSymbolAsync(symbol, from, count, offset, static_cast<cudaMemcpyKind>(kind), stream)); }
hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, size_t count, size_t offset, hipMemcpyKind kind, hipStream_t stream) { return toHip(cudaMemcpyFromSymbolAsync(to, symbol, count, offset, static_cast<cudaMemcpyKind>(kind), stream)); }
hipError_t hipGetSymbolAddress(void** pointer, const void* symbol) { return toHip(cudaGetSymbolAddress(pointer, symbol)); }
hipError_t hipGetSymbolSize(size_t* size, const void* symbol) { return toHip(cudaGetSymbolSize(size, symbol)); }
hipError_t hipStreamCreate(hipStream_t* stream) { return toHip(cudaStreamCreate(stream)); }
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) { return toHip(cudaStreamCreateWithFlags(stream, flags)); }
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) { return toHip(cudaStreamCreateWithPriority(stream, flags, priority)); }
hipError_t hipStreamDestroy(hipStream_t stream) { return toHip(cudaStreamDestroy(stream)); }
hipError_t hipStreamQuery(hipStream_t stream) { return toHip(cudaStreamQuery(stream)); }
hipError_t hipStreamSynchronize(hipStream_t stream) { return toHip(cudaStreamSynchronize(stream)); }
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) { return toHip(cudaStreamWaitEvent(stream, event, flags)); }
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags) { return toHip(cudaStreamGetFlags(stream, flags)); }
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) { return toHip(cudaStreamGetPriority(stream, priority)); }
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* userData) { return toHip(cudaLaunchHostFunc(stream, function, userData)); }
hipError_t hipEventCreate(hipEvent_t* event) { return toHip(cudaEventCreate(event)); }
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) { return toHip(cudaEventCreateWithFlags(event, flags)); }
hipError_t hipEventDestroy(hipEvent_t event) { return toHip(cudaEventDestroy(event)); }
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) { return toHip(cudaEventRecord(event, stream)); }
hipError_t hipEventQuery(hipEvent_t event) { return toHip(cudaEventQuery(event)); }
hipError_t hipEventSynchronize(hipEvent_t event) { return toHip(cudaEventSynchronize(event)); }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t end) { return toHip(cudaEventElapsedTime(milliseconds, start, end)); }
hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t sharedBytes, hipStream_t stream) { return toHip(cudaLaunchKernel(function, grid, block, arguments, sharedBytes, stream)); }
hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t sharedBytes, hipStream_t stream) { return toHip(cudaLaunchCooperativeKernel(function, grid, block, arguments, sharedBytes, stream)); }
hipError_t hipGetDeviceCount(int* count) { return toHip(cudaGetDeviceCount(count)); }
hipError_t hipGetDevice(int* device) { return toHip(cudaGetDevice(device)); }
hipError_t hipSetDevice(int device) { return toHip(cudaSetDevice(device)); }
hipError_t hipDeviceSynchronize(void) { return toHip(cudaDeviceSynchronize()); }
hipError_t hipDeviceReset(void) { return toHip(cudaDeviceReset()); }
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) { return toHip(cudaDeviceCanAccessPeer(can, device, peer)); }
hipError_t hipDriverGetVersion(int* version) { return toHip(cudaDriverGetVersion(version)); }
hipError_t hipRuntimeGetVersion(int* version) { return toHip(cudaRuntimeGetVersion(version)); }
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int blockSize, size_t dynamicSharedBytes) { return toHip(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, dynamicSharedBytes)); }

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) { return toHip(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device)); }
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) { return toHip(cudaFuncGetAttributes(attributes, function)); }
hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value) { return toHip(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value)); }
hipError_t hipMalloc3D(hipPitchedPtr* pointer, hipExtent extent) { return toHip(cudaMalloc3D(pointer, extent)); }
hipError_t hipMemcpy3D(const hipMemcpy3DParms* parameters) { return toHip(cudaMemcpy3D(asCuda(parameters))); }
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters, hipStream_t stream) { return toHip(cudaMemcpy3DAsync(asCuda(parameters), stream)); }
hipError_t hipMemset3D(hipPitchedPtr pointer, int value, hipExtent extent) { return toHip(cudaMemset3D(pointer, value, extent)); }
hipError_t hipMemset3DAsync(hipPitchedPtr pointer, int value, hipExtent extent, hipStream_t stream) { return toHip(cudaMemset3DAsync(pointer, value, extent, stream)); }
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  if (!attributes) return hipErrorInvalidValue;
  cudaPointerAttributes found{};
  const hipError_t error = toHip(cudaPointerGetAttributes(&found, pointer));
  *attributes = {static_cast<hipMemoryType>(found.type), found.device, found.devicePointer, found.hostPointer,
                 found.type == cudaMemoryTypeManaged};
  return error;
}
hipError_t hipMemAdvise(const void* pointer, size_t size, hipMemoryAdvise advice, int device) { return toHip(cudaMemAdvise(pointer, size, advice, device)); }
hipError_t hipMemPrefetchAsync(const void* pointer, size_t size, int device, hipStream_t stream) { return toHip(cudaMemPrefetchAsync(pointer, size, device, stream)); }
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) { return toHip(cudaDeviceGetDefaultMemPool(pool, device)); }
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) { return toHip(cudaDeviceGetMemPool(pool, device)); }
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) { return toHip(cudaDeviceSetMemPool(device, pool)); }
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) { return toHip(cudaMemPoolCreate(pool, properties)); }
hipError_t hipMemPoolDestroy(hipMemPool_t pool) { return toHip(cudaMemPoolDestroy(pool)); }
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t minBytesToKeep) { return toHip(cudaMemPoolTrimTo(pool, minBytesToKeep)); }
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) { return toHip(cudaMemPoolGetAttribute(pool, attribute, value)); }
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) { return toHip(cudaMemPoolSetAttribute(pool, attribute, value)); }
hipError_t hipMallocFromPoolAsync(void** pointer, size_t size, hipMemPool_t pool, hipStream_t stream) { return toHip(cudaMallocFromPoolAsync(pointer, size, pool, stream)); }

}  // extern "C"
