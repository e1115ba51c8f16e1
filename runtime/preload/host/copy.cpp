// SPDX-License-Identifier: Apache-2.0
/// Which copies are allowed, and the copies.
#include "preload/host/copy.h"

#include <cstring>

#include "backend/host/memory.h"
#include "preload/host/device_gate.h"

namespace mneme::host_runtime {
namespace {

enum class Side { Host, Device, Either };

Side sourceSide(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return Side::Either;
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ? Side::Device : Side::Host;
}
Side targetSide(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return Side::Either;
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ? Side::Device : Side::Host;
}

bool hostCanUse(MemoryKind kind) {
  return kind == MemoryKind::Managed || kind == MemoryKind::Pinned || kind == MemoryKind::Registered;
}

bool operandFits(const void* pointer, size_t span, Side side) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  auto range = host::Memory::instance().resolve(address);
  if (!range) return pointer && side != Side::Device;
  if (side == Side::Host) return hostCanUse(range->kind);
  return span <= range->size - (address - range->address) || range->kind == MemoryKind::Registered;
}

}  // namespace

cudaError_t checkCopy(const void* to, size_t toSpan, const void* from, size_t fromSpan, cudaMemcpyKind kind) {
  if (static_cast<unsigned>(kind) > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  bool fits = operandFits(to, toSpan, targetSide(kind)) && operandFits(from, fromSpan, sourceSide(kind));
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t copyBytes(void* to, const void* from, size_t count, cudaMemcpyKind kind) {
  if (static_cast<unsigned>(kind) > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (count == 0) return cudaSuccess;
  if (cudaError_t error = checkCopy(to, count, from, count, kind)) return error;
  DeviceWork work;
  std::memmove(to, from, count);
  return cudaSuccess;
}

cudaError_t copyRows(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t rows,
                     cudaMemcpyKind kind) {
  if (width > toPitch || width > fromPitch) return cudaErrorInvalidPitchValue;
  if (width == 0 || rows == 0) return cudaSuccess;
  if (rows > SIZE_MAX / toPitch || rows > SIZE_MAX / fromPitch) return cudaErrorInvalidValue;
  Extent2D target{toPitch, width, rows}, source{fromPitch, width, rows};
  if (cudaError_t error = checkCopy(to, target.span(), from, source.span(), kind)) return error;
  DeviceWork work;
  for (size_t row = 0; row < rows; ++row)
    std::memmove(static_cast<char*>(to) + row * toPitch, static_cast<const char*>(from) + row * fromPitch, width);
  return cudaSuccess;
}

}  // namespace mneme::host_runtime
