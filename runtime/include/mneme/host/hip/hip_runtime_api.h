// SPDX-License-Identifier: Apache-2.0
/// The HIP runtime's C API as the host device offers it, for devices with 32 lanes a warp. What is not declared here does
/// not exist: it fails to compile. Handles are those of the CUDA names, which are in the same library.
#pragma once

#include "../driver_types.h"

#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION 60000000
#define MNEME_HOST_DEVICE 1

typedef enum hipError_t MNEME_ANY_INT {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorNotInitialized = 3,
  hipErrorDeinitialized = 4,
  hipErrorProfilerDisabled = 5,
  hipErrorProfilerNotInitialized = 6,
  hipErrorProfilerAlreadyStarted = 7,
  hipErrorProfilerAlreadyStopped = 8,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidPitchValue = 12,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorInsufficientDriver = 35,
  hipErrorMissingConfiguration = 52,
  hipErrorPriorLaunchFailure = 53,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorInvalidContext = 201,
  hipErrorNoBinaryForGpu = 209,
  hipErrorUnsupportedLimit = 215,
  hipErrorPeerAccessUnsupported = 217,
  hipErrorInvalidSource = 300,
  hipErrorFileNotFound = 301,
  hipErrorOperatingSystem = 304,
  hipErrorInvalidHandle = 400,
  hipErrorIllegalState = 401,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701,
  hipErrorLaunchTimeOut = 702,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorPeerAccessNotEnabled = 705,
  hipErrorContextIsDestroyed = 709,
  hipErrorAssert = 710,
  hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorHostMemoryNotRegistered = 713,
  hipErrorLaunchFailure = 719,
  hipErrorCooperativeLaunchTooLarge = 720,
  hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900,
  hipErrorUnknown = 999,
} hipError_t;

typedef enum hipMemcpyKind MNEME_ANY_INT {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4
} hipMemcpyKind;

/// The values are the CUDA names'.
typedef enum hipDeviceAttribute_t MNEME_ANY_INT {
  hipDeviceAttributeMaxThreadsPerBlock = cudaDevAttrMaxThreadsPerBlock,
  hipDeviceAttributeMaxBlockDimX = cudaDevAttrMaxBlockDimX,
  hipDeviceAttributeMaxBlockDimY = cudaDevAttrMaxBlockDimY,
  hipDeviceAttributeMaxBlockDimZ = cudaDevAttrMaxBlockDimZ,
  hipDeviceAttributeMaxGridDimX = cudaDevAttrMaxGridDimX,
  hipDeviceAttributeMaxGridDimY = cudaDevAttrMaxGridDimY,
  hipDeviceAttributeMaxGridDimZ = cudaDevAttrMaxGridDimZ,
  hipDeviceAttributeMaxSharedMemoryPerBlock = cudaDevAttrMaxSharedMemoryPerBlock,
  hipDeviceAttributeTotalConstantMemory = cudaDevAttrTotalConstantMemory,
  hipDeviceAttributeWarpSize = cudaDevAttrWarpSize,
  hipDeviceAttributeMaxPitch = cudaDevAttrMaxPitch,
  hipDeviceAttributeMaxRegistersPerBlock = cudaDevAttrMaxRegistersPerBlock,
  hipDeviceAttributeClockRate = cudaDevAttrClockRate,
  hipDeviceAttributeMultiprocessorCount = cudaDevAttrMultiProcessorCount,
  hipDeviceAttributeIntegrated = cudaDevAttrIntegrated,
  hipDeviceAttributeCanMapHostMemory = cudaDevAttrCanMapHostMemory,
  hipDeviceAttributeComputeMode = cudaDevAttrComputeMode,
  hipDeviceAttributeConcurrentKernels = cudaDevAttrConcurrentKernels,
  hipDeviceAttributePciBusId = cudaDevAttrPciBusId,
  hipDeviceAttributePciDeviceId = cudaDevAttrPciDeviceId,
  hipDeviceAttributeMemoryClockRate = cudaDevAttrMemoryClockRate,
  hipDeviceAttributeMemoryBusWidth = cudaDevAttrGlobalMemoryBusWidth,
  hipDeviceAttributeL2CacheSize = cudaDevAttrL2CacheSize,
  hipDeviceAttributeMaxThreadsPerMultiProcessor = cudaDevAttrMaxThreadsPerMultiProcessor,
  hipDeviceAttributeUnifiedAddressing = cudaDevAttrUnifiedAddressing,
  hipDeviceAttributeComputeCapabilityMajor = cudaDevAttrComputeCapabilityMajor,
  hipDeviceAttributeComputeCapabilityMinor = cudaDevAttrComputeCapabilityMinor,
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = cudaDevAttrMaxSharedMemoryPerMultiprocessor,
  hipDeviceAttributeManagedMemory = cudaDevAttrManagedMemory,
  hipDeviceAttributeConcurrentManagedAccess = cudaDevAttrConcurrentManagedAccess,
  hipDeviceAttributeCooperativeLaunch = cudaDevAttrCooperativeLaunch,
  hipDeviceAttributeMemoryPoolsSupported = cudaDevAttrMemoryPoolsSupported,
} hipDeviceAttribute_t;

typedef enum hipFuncAttribute MNEME_ANY_INT {
  hipFuncAttributeMaxDynamicSharedMemorySize = cudaFuncAttributeMaxDynamicSharedMemorySize,
  hipFuncAttributePreferredSharedMemoryCarveout = cudaFuncAttributePreferredSharedMemoryCarveout,
} hipFuncAttribute;

typedef enum hipMemoryType MNEME_ANY_INT {
  hipMemoryTypeUnregistered = cudaMemoryTypeUnregistered,
  hipMemoryTypeHost = cudaMemoryTypeHost,
  hipMemoryTypeDevice = cudaMemoryTypeDevice,
  hipMemoryTypeManaged = cudaMemoryTypeManaged,
} hipMemoryType;

typedef struct hipPointerAttribute_t {
  hipMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
} hipPointerAttribute_t;

typedef struct cudaPos hipPos;
typedef struct cudaExtent hipExtent;
typedef struct cudaPitchedPtr hipPitchedPtr;
typedef struct cudaFuncAttributes hipFuncAttributes;
typedef struct cudaMemPoolProps hipMemPoolProps;
typedef cudaMemPool_t hipMemPool_t;
typedef cudaArray_t hipArray_t;
typedef enum cudaMemPoolAttr hipMemPoolAttr;
typedef enum cudaMemoryAdvise hipMemoryAdvise;

/// Laid out as the CUDA name.
typedef struct hipMemcpy3DParms {
  hipArray_t srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  hipArray_t dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  hipExtent extent;
  hipMemcpyKind kind;
} hipMemcpy3DParms;

typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaHostFn_t hipHostFn_t;
typedef struct cudaDeviceProp hipDeviceProp_t;

#define hipHostMallocDefault 0x0
#define hipHostMallocPortable 0x1
#define hipHostMallocMapped 0x2
#define hipHostMallocWriteCombined 0x4
#define hipHostRegisterDefault 0x0
#define hipHostRegisterPortable 0x1
#define hipHostRegisterMapped 0x2
#define hipMemAttachGlobal 0x1
#define hipMemAttachHost 0x2
#define hipStreamDefault 0x0
#define hipStreamNonBlocking 0x1
#define hipEventDefault 0x0
#define hipEventBlockingSync 0x1
#define hipEventDisableTiming 0x2

#ifdef __cplusplus
#define MNEME_DEFAULT(value) = value
extern "C" {
#else
#define MNEME_DEFAULT(value)
#endif

hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
hipError_t hipFree(void* pointer);
hipError_t hipHostFree(void* pointer);
hipError_t hipFreeHost(void* pointer);
hipError_t hipMalloc(void** pointer, size_t size);
hipError_t hipMallocManaged(void** pointer, size_t size, unsigned int flags);
hipError_t hipHostMalloc(void** pointer, size_t size, unsigned int flags);
hipError_t hipHostAlloc(void** pointer, size_t size, unsigned int flags);
hipError_t hipMallocHost(void** pointer, size_t size);
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned int flags);
hipError_t hipHostGetFlags(unsigned int* flags, void* host);
hipError_t hipHostRegister(void* pointer, size_t size, unsigned int flags);
hipError_t hipHostUnregister(void* pointer);
hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
hipError_t hipMallocAsync(void** pointer, size_t size, hipStream_t stream);
hipError_t hipFreeAsync(void* pointer, hipStream_t stream);
hipError_t hipMemGetInfo(size_t* free, size_t* total);
hipError_t hipMemcpy(void* to, const void* from, size_t count, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* to, const void* from, size_t count, hipMemcpyKind kind, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipMemcpyPeer(void* to, int toDevice, const void* from, int fromDevice, size_t count);
hipError_t hipMemcpy2D(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipMemset(void* pointer, int value, size_t count);
hipError_t hipMemsetAsync(void* pointer, int value, size_t count, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, size_t count, size_t offset MNEME_DEFAULT(0), hipMemcpyKind kind MNEME_DEFAULT(hipMemcpyHostToDevice));
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, size_t count, size_t offset MNEME_DEFAULT(0), hipMemcpyKind kind MNEME_DEFAULT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, size_t count, size_t offset, hipMemcpyKind kind, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, size_t count, size_t offset, hipMemcpyKind kind, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipGetSymbolAddress(void** pointer, const void* symbol);
hipError_t hipGetSymbolSize(size_t* size, const void* symbol);
hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags);
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags MNEME_DEFAULT(0));
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* userData);
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t end);
hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t sharedBytes, hipStream_t stream);
hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t sharedBytes, hipStream_t stream);
hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer);
hipError_t hipDriverGetVersion(int* version);
hipError_t hipRuntimeGetVersion(int* version);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int blockSize, size_t dynamicSharedBytes);

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function);
hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value);
hipError_t hipMalloc3D(hipPitchedPtr* pointer, hipExtent extent);
hipError_t hipMemcpy3D(const hipMemcpy3DParms* parameters);
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipMemset3D(hipPitchedPtr pointer, int value, hipExtent extent);
hipError_t hipMemset3DAsync(hipPitchedPtr pointer, int value, hipExtent extent, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer);
hipError_t hipMemAdvise(const void* pointer, size_t size, hipMemoryAdvise advice, int device);
hipError_t hipMemPrefetchAsync(const void* pointer, size_t size, int device, hipStream_t stream MNEME_DEFAULT(0));
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device);
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device);
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool);
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties);
hipError_t hipMemPoolDestroy(hipMemPool_t pool);
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t minBytesToKeep);
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMallocFromPoolAsync(void** pointer, size_t size, hipMemPool_t pool, hipStream_t stream);

#ifdef __cplusplus
}

template <class T>
static inline hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, T* function) {
  return ::hipFuncGetAttributes(attributes, reinterpret_cast<const void*>(function));
}
template <class T>
static inline hipError_t hipFuncSetAttribute(T* function, hipFuncAttribute attribute, int value) {
  return ::hipFuncSetAttribute(reinterpret_cast<const void*>(function), attribute, value);
}
template <class T>
static inline hipError_t hipMallocFromPoolAsync(T** pointer, size_t size, hipMemPool_t pool, hipStream_t stream) {
  return ::hipMallocFromPoolAsync(reinterpret_cast<void**>(pointer), size, pool, stream);
}
template <class T>
static inline hipError_t hipMalloc(T** pointer, size_t size) {
  return ::hipMalloc(reinterpret_cast<void**>(pointer), size);
}
template <class T>
static inline hipError_t hipMallocManaged(T** pointer, size_t size, unsigned int flags = hipMemAttachGlobal) {
  return ::hipMallocManaged(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T>
static inline hipError_t hipHostMalloc(T** pointer, size_t size, unsigned int flags = hipHostMallocDefault) {
  return ::hipHostMalloc(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T>
static inline hipError_t hipMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return ::hipMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
static inline hipError_t hipMallocAsync(T** pointer, size_t size, hipStream_t stream) {
  return ::hipMallocAsync(reinterpret_cast<void**>(pointer), size, stream);
}
template <class T>
static inline hipError_t hipLaunchKernel(T* function, dim3 grid, dim3 block, void** arguments, size_t sharedBytes,
                                         hipStream_t stream) {
  return ::hipLaunchKernel(reinterpret_cast<const void*>(function), grid, block, arguments, sharedBytes, stream);
}
#endif
#undef MNEME_DEFAULT

static inline hipPitchedPtr make_hipPitchedPtr(void* pointer, size_t pitch, size_t xsize, size_t ysize) {
  hipPitchedPtr result = {pointer, pitch, xsize, ysize};
  return result;
}
static inline hipPos make_hipPos(size_t x, size_t y, size_t z) {
  hipPos result = {x, y, z};
  return result;
}
static inline hipExtent make_hipExtent(size_t width, size_t height, size_t depth) {
  hipExtent result = {width, height, depth};
  return result;
}

#define HIP_SYMBOL(symbol) (reinterpret_cast<const void*>(&symbol))
