// SPDX-License-Identifier: Apache-2.0
/// Arrays and texture objects. An array is pitched device memory with a format; a texture object is the address of a record in
/// device memory, which kernels sample by (crt/texture_fetch.h) and recordings hold like any other memory.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "backend/host/memory.h"
#include "preload/host/api.h"
#include "preload/host/arrays.h"
#include "preload/host/copy.h"
#include "preload/host/stream.h"

namespace mneme::host_runtime {
namespace {

constexpr size_t kRowAlignment = 256;

/// Handles that the program may hold, and what they stand for.
struct Registry {
  std::mutex mutex;
  std::map<cudaArray_const_t, std::unique_ptr<Array>> arrays;
  std::map<cudaTextureObject_t, std::pair<cudaResourceDesc, cudaTextureDesc>> textures;
};

Registry& registry() {
  static auto* instance = new Registry;  // programs free handles in static destructors
  return *instance;
}

/// Channels of equal width, one, two or four of them, in a format that a texture can have.
bool goodFormat(const cudaChannelFormatDesc& format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  int channels = 0;
  while (channels < 4 && bits[channels]) ++channels;
  if (channels == 0 || channels == 3) return false;
  for (int i = 0; i < 4; ++i)
    if (bits[i] != (i < channels ? format.x : 0)) return false;
  const bool isFloat = format.f == cudaChannelFormatKindFloat;
  return format.f != cudaChannelFormatKindNone && (format.x == 32 || format.x == 16 || (format.x == 8 && !isFloat));
}

size_t texelBytes(const cudaChannelFormatDesc& format) { return static_cast<size_t>(format.x + format.y + format.z + format.w) / 8; }

cudaError_t makeArray(cudaArray_t* handle, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags) {
  if (!handle || !format) return cudaErrorInvalidValue;
  if (!goodFormat(*format)) return cudaErrorInvalidChannelDescriptor;
  if (flags & ~unsigned{cudaArraySurfaceLoadStore | cudaArrayTextureGather}) return cudaErrorNotSupported;  // layers, cube maps
  if (extent.width == 0 || extent.width > 131072 || extent.height > 65536 || extent.depth > 16384) return cudaErrorInvalidValue;
  auto array = std::make_unique<Array>();
  array->format = *format, array->extent = extent;
  const size_t row = extent.width * texelBytes(*format), rows = std::max<size_t>(extent.height, 1) * std::max<size_t>(extent.depth, 1);
  array->pitch = (row + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  auto address = host::Memory::instance().allocate(array->pitch * rows, kRowAlignment, MemoryKind::Device, "cudaArray");
  if (!address) return toCuda(address.error());
  array->data = reinterpret_cast<char*>(*address);
  std::lock_guard lock(registry().mutex);
  *handle = reinterpret_cast<cudaArray_t>(array.get());
  registry().arrays[*handle] = std::move(array);
  return cudaSuccess;
}

cudaError_t freeArray(cudaArray_t handle) {
  if (!handle) return cudaSuccess;
  std::lock_guard lock(registry().mutex);
  auto found = registry().arrays.find(handle);
  if (found == registry().arrays.end()) return cudaErrorInvalidResourceHandle;
  static_cast<void>(host::Memory::instance().release(reinterpret_cast<uint64_t>(found->second->data)).has_value());
  registry().arrays.erase(found);
  return cudaSuccess;
}

/// Rows of an array from a place on; null and cudaErrorInvalidValue where they do not lie in it.
cudaError_t rowsOf(cudaArray_const_t handle, size_t x, size_t y, size_t width, size_t height, char*& start, size_t& pitch) {
  const Array* array = findArray(handle);
  if (!array) return cudaErrorInvalidResourceHandle;
  const size_t row = array->extent.width * texelBytes(array->format), rows = std::max<size_t>(array->extent.height, 1);
  if (x > row || width > row - x || y > rows || height > rows - y) return cudaErrorInvalidValue;
  start = array->data + y * array->pitch + x, pitch = array->pitch;
  return cudaSuccess;
}

cudaError_t toArray(cudaArray_t array, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  char* start = nullptr;
  size_t own = 0;
  if (cudaError_t error = rowsOf(array, x, y, width, height, start, own)) return error;
  return copyRows(start, own, from, pitch, width, height, kind);
}

cudaError_t fromArray(void* to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  char* start = nullptr;
  size_t own = 0;
  if (cudaError_t error = rowsOf(array, x, y, width, height, start, own)) return error;
  return copyRows(to, pitch, start, own, width, height, kind);
}

/// The record without its sampling rules.
cudaError_t describe(const cudaResourceDesc& resource, mnemeTexture& record, cudaChannelFormatDesc& format) {
  auto linear = [&](const void* data, size_t width, size_t height, size_t depth, size_t pitch) {
    record.data = static_cast<const unsigned char*>(data);
    record.extent[0] = static_cast<int>(width), record.extent[1] = static_cast<int>(std::max<size_t>(height, 1));
    record.extent[2] = static_cast<int>(std::max<size_t>(depth, 1));
    record.pitch = pitch, record.slice = pitch * record.extent[1];
  };
  if (resource.resType == cudaResourceTypeArray) {
    const Array* array = findArray(resource.res.array.array);
    if (!array) return cudaErrorInvalidResourceHandle;
    format = array->format;
    linear(array->data, array->extent.width, array->extent.height, array->extent.depth, array->pitch);
    return cudaSuccess;
  }
  if (resource.resType == cudaResourceTypeMipmappedArray) return cudaErrorNotSupported;
  const bool plane = resource.resType == cudaResourceTypePitch2D;
  format = plane ? resource.res.pitch2D.desc : resource.res.linear.desc;
  if (!goodFormat(format)) return cudaErrorInvalidChannelDescriptor;
  if (plane) {
    const auto& p = resource.res.pitch2D;
    linear(p.devPtr, p.width, p.height, 1, p.pitchInBytes);
    return checkCopy(p.devPtr, p.height ? p.pitchInBytes * (p.height - 1) + p.width * texelBytes(format) : 0, p.devPtr, 0, cudaMemcpyDeviceToDevice);
  }
  const auto& l = resource.res.linear;
  linear(l.devPtr, l.sizeInBytes / texelBytes(format), 1, 1, l.sizeInBytes);
  return checkCopy(l.devPtr, l.sizeInBytes, l.devPtr, 0, cudaMemcpyDeviceToDevice);
}

/// What a texture unit cannot do either.
cudaError_t checkRules(const cudaTextureDesc& rules, const cudaChannelFormatDesc& format) {
  const bool isFloat = format.f == cudaChannelFormatKindFloat;
  if (rules.readMode == cudaReadModeNormalizedFloat && !isFloat && format.x == 32) return cudaErrorInvalidNormSetting;
  if (rules.filterMode == cudaFilterModeLinear && !isFloat && rules.readMode != cudaReadModeNormalizedFloat) return cudaErrorInvalidFilterSetting;
  return rules.sRGB ? cudaErrorNotSupported : cudaSuccess;
}

void setRules(const cudaTextureDesc& rules, const cudaChannelFormatDesc& format, mnemeTexture& record) {
  record.channels = format.w ? 4 : format.y ? 2 : 1;
  record.bits = format.x, record.kind = format.f;
  record.linear = rules.filterMode == cudaFilterModeLinear;
  record.normalizedFloat = rules.readMode == cudaReadModeNormalizedFloat;
  record.normalizedCoords = rules.normalizedCoords;
  for (int axis = 0; axis < 3; ++axis) {
    const bool repeats = rules.addressMode[axis] == cudaAddressModeWrap || rules.addressMode[axis] == cudaAddressModeMirror;
    record.address[axis] = repeats && !rules.normalizedCoords ? cudaAddressModeClamp : rules.addressMode[axis];
  }
  std::memcpy(record.border, rules.borderColor, sizeof record.border);
}

cudaError_t makeTexture(cudaTextureObject_t* object, const cudaResourceDesc* resource, const cudaTextureDesc* rules, const cudaResourceViewDesc* view) {
  if (!object || !resource || !rules) return cudaErrorInvalidValue;
  if (view) return cudaErrorNotSupported;
  mnemeTexture record{};
  cudaChannelFormatDesc format{};
  if (cudaError_t error = describe(*resource, record, format)) return error;
  if (cudaError_t error = checkRules(*rules, format)) return error;
  setRules(*rules, format, record);
  auto address = host::Memory::instance().allocate(sizeof record, 256, MemoryKind::Device, "texture object");
  if (!address) return toCuda(address.error());
  std::memcpy(reinterpret_cast<void*>(*address), &record, sizeof record);
  *object = *address;
  std::lock_guard lock(registry().mutex);
  registry().textures[*object] = {*resource, *rules};
  return cudaSuccess;
}

cudaError_t freeTexture(cudaTextureObject_t object) {
  std::lock_guard lock(registry().mutex);
  if (registry().textures.erase(object) == 0) return object ? cudaErrorInvalidResourceHandle : cudaSuccess;
  static_cast<void>(host::Memory::instance().release(object).has_value());
  return cudaSuccess;
}

}  // namespace

const Array* findArray(cudaArray_const_t handle) {
  std::lock_guard lock(registry().mutex);
  auto found = registry().arrays.find(handle);
  return found == registry().arrays.end() ? nullptr : found->second.get();
}

size_t texelBytesOf(const Array& array) { return texelBytes(array.format); }

}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height, unsigned int flags) {
  return call([&] { return makeArray(array, format, {width, height, 0}, flags); });
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned int flags) {
  return call([&] { return makeArray(array, format, extent, flags); });
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  return call([&] { return freeArray(array); });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned int* flags, cudaArray_t array) {
  return call([&] {
    const Array* known = findArray(array);
    if (!known) return cudaErrorInvalidResourceHandle;
    if (format) *format = known->format;
    if (extent) *extent = known->extent;
    if (flags) *flags = 0;
    return cudaSuccess;
  });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  return call([&] {
    const Array* known = findArray(array);
    if (!known || !format) return cudaErrorInvalidValue;
    *format = known->format;
    return cudaSuccess;
  });
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) { return {x, y, z, w, kind}; }
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  return call([&] { return toArray(to, x, y, from, pitch, width, height, kind); });
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&] { return validStream(stream) ? toArray(to, x, y, from, pitch, width, height, kind) : cudaErrorInvalidResourceHandle; });
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  return call([&] { return fromArray(to, pitch, from, x, y, width, height, kind); });
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t count, cudaMemcpyKind kind) {
  return call([&] {
    const Array* array = findArray(to);
    const size_t row = array ? array->extent.width * texelBytesOf(*array) : 0;
    if (!array || x != 0 || (count > row && count % row != 0)) return cudaErrorInvalidValue;  // whole rows, or part of one
    return count <= row ? toArray(to, 0, y, from, count, count, 1, kind) : toArray(to, 0, y, from, row, row, count / row, kind);
  });
}
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource, const cudaTextureDesc* rules,
                                    const cudaResourceViewDesc* view) {
  return call([&] { return makeTexture(object, resource, rules, view); });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return call([&] { return freeTexture(object); });
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return call([&] {
    std::lock_guard lock(registry().mutex);
    auto found = registry().textures.find(object);
    if (!resource || found == registry().textures.end()) return cudaErrorInvalidValue;
    *resource = found->second.first;
    return cudaSuccess;
  });
}

}  // extern "C"
