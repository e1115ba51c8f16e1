// SPDX-License-Identifier: Apache-2.0
/// cudaMemcpy and cudaMemset in all their forms. Asynchronous ones are done when they return.
#include <algorithm>
#include <cstring>

#include "backend/host/memory.h"
#include "preload/host/api.h"
#include "preload/host/arrays.h"
#include "preload/host/copy.h"
#include "preload/host/device_gate.h"
#include "preload/host/stream.h"

namespace mneme::host_runtime {
namespace {

/// A 3-D operand: pitched memory and a position in it.
struct Volume {
  char* base;
  size_t pitch, slice;
};

Volume place(const cudaPitchedPtr& memory, const cudaPos& at, size_t rows) {
  size_t slice = memory.pitch * (memory.ysize ? memory.ysize : rows);
  return {static_cast<char*>(memory.ptr) + at.z * slice + at.y * memory.pitch + at.x, memory.pitch, slice};
}

cudaError_t copyVolume(const cudaMemcpy3DParms* p);

/// An array as pitched memory. Widths and places are counted in texels where an array takes part.
cudaError_t asMemory(cudaArray_t handle, const cudaExtent& extent, cudaPitchedPtr& pointer, cudaPos& position, size_t& texel) {
  const Array* array = findArray(handle);
  if (!array) return cudaErrorInvalidResourceHandle;
  const size_t height = std::max<size_t>(array->extent.height, 1), depth = std::max<size_t>(array->extent.depth, 1);
  auto fits = [](size_t at, size_t count, size_t all) { return at <= all && count <= all - at; };
  if (!fits(position.x, extent.width, array->extent.width) || !fits(position.y, extent.height, height) || !fits(position.z, extent.depth, depth))
    return cudaErrorInvalidValue;
  texel = texelBytesOf(*array);
  pointer = {array->data, array->pitch, array->extent.width * texel, height};
  position.x *= texel;
  return cudaSuccess;
}

cudaError_t copyArrays(cudaMemcpy3DParms p) {
  size_t from = 0, to = 0;
  if (p.srcArray)
    if (cudaError_t error = asMemory(p.srcArray, p.extent, p.srcPtr, p.srcPos, from)) return error;
  if (p.dstArray)
    if (cudaError_t error = asMemory(p.dstArray, p.extent, p.dstPtr, p.dstPos, to)) return error;
  if (from && to && from != to) return cudaErrorInvalidValue;
  p.extent.width *= from ? from : to;
  p.srcArray = p.dstArray = nullptr;
  return copyVolume(&p);
}

cudaError_t copyVolume(const cudaMemcpy3DParms* p) {
  if (!p) return cudaErrorInvalidValue;
  if (p->srcArray || p->dstArray) return copyArrays(*p);
  if (!p->srcPtr.ptr || !p->dstPtr.ptr) return cudaErrorInvalidValue;
  const auto& extent = p->extent;
  Volume to = place(p->dstPtr, p->dstPos, extent.height), from = place(p->srcPtr, p->srcPos, extent.height);
  for (size_t z = 0; z < extent.depth; ++z) {
    cudaError_t error = copyRows(to.base + z * to.slice, to.pitch, from.base + z * from.slice, from.pitch,
                                 extent.width, extent.height, p->kind);
    if (error) return error;
  }
  return cudaSuccess;
}

cudaError_t fillRows(void* pointer, size_t pitch, int value, size_t width, size_t rows) {
  if (width == 0 || rows == 0) return cudaSuccess;
  if (rows > 1 && width > pitch) return cudaErrorInvalidPitchValue;
  if (rows > SIZE_MAX / (pitch ? pitch : 1)) return cudaErrorInvalidValue;
  size_t span = Extent2D{pitch, width, rows}.span();
  if (cudaError_t error = checkCopy(pointer, span, pointer, span, cudaMemcpyDeviceToDevice)) return error;
  DeviceWork work;
  for (size_t row = 0; row < rows; ++row) std::memset(static_cast<char*>(pointer) + row * pitch, value, width);
  return cudaSuccess;
}

cudaError_t fillVolume(const cudaPitchedPtr& pointer, int value, const cudaExtent& extent) {
  size_t slice = pointer.pitch * pointer.ysize;
  for (size_t z = 0; z < extent.depth; ++z) {
    auto* base = static_cast<char*>(pointer.ptr) + z * slice;
    if (cudaError_t error = fillRows(base, pointer.pitch, value, extent.width, extent.height)) return error;
  }
  return cudaSuccess;
}

/// `work` on a stream: first the handle, then the work.
template <typename Work>
cudaError_t onStream(cudaStream_t stream, Work&& work) {
  return call([&] { return validStream(stream) ? work() : cudaErrorInvalidResourceHandle; });
}

bool isDevice(int device) { return device == kDevice; }

}  // namespace
}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t count, cudaMemcpyKind kind) {
  return call([&] { return copyBytes(to, from, count, kind); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return onStream(stream, [&] { return copyBytes(to, from, count, kind); });
}
cudaError_t cudaMemcpyPeer(void* to, int toDevice, const void* from, int fromDevice, size_t count) {
  return cudaMemcpyPeerAsync(to, toDevice, from, fromDevice, count, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int toDevice, const void* from, int fromDevice, size_t count,
                                cudaStream_t stream) {
  return onStream(stream, [&] {
    if (!isDevice(toDevice) || !isDevice(fromDevice)) return cudaErrorInvalidDevice;
    return copyBytes(to, from, count, cudaMemcpyDeviceToDevice);
  });
}
cudaError_t cudaMemcpy2D(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return call([&] { return copyRows(to, toPitch, from, fromPitch, width, height, kind); });
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return onStream(stream, [&] { return copyRows(to, toPitch, from, fromPitch, width, height, kind); });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return call([&] { return copyVolume(parameters); });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return onStream(stream, [&] { return copyVolume(parameters); });
}
cudaError_t cudaMemset(void* pointer, int value, size_t count) {
  return call([&] { return fillRows(pointer, count, value, count, 1); });
}
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t count, cudaStream_t stream) {
  return onStream(stream, [&] { return fillRows(pointer, count, value, count, 1); });
}
cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return call([&] { return fillRows(pointer, pitch, value, width, height); });
}
cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return onStream(stream, [&] { return fillRows(pointer, pitch, value, width, height); });
}
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return call([&] { return fillVolume(pointer, value, extent); });
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
  return onStream(stream, [&] { return fillVolume(pointer, value, extent); });
}

}  // extern "C"
