// SPDX-License-Identifier: Apache-2.0
/// Device variables by their host names: addresses, sizes, copies.
#include "preload/host/api.h"
#include "preload/host/copy.h"
#include "preload/host/module_registry.h"
#include "preload/host/stream.h"

namespace mneme::host_runtime {
namespace {

struct Symbol {
  char* address = nullptr;
  size_t size = 0;
};

cudaError_t find(const void* variable, Symbol& symbol) {
  const auto* entry = ModuleRegistry::instance().symbol(variable);
  if (!entry) return cudaErrorInvalidSymbol;
  auto module = entry->owner->module();
  if (!module) return toCuda(module.error());
  for (const auto& v : (*module)->variables()) {
    if (v.name != entry->name) continue;
    symbol = {reinterpret_cast<char*>(v.address), v.size};
    return cudaSuccess;
  }
  return cudaErrorInvalidSymbol;
}

/// Where the copied bytes of the variable are.
cudaError_t part(const void* variable, size_t count, size_t offset, char*& address) {
  Symbol symbol;
  if (cudaError_t error = find(variable, symbol)) return error;
  if (offset > symbol.size || count > symbol.size - offset) return cudaErrorInvalidValue;
  address = symbol.address + offset;
  return cudaSuccess;
}

cudaError_t toSymbol(const void* variable, const void* from, size_t count, size_t offset, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  char* address = nullptr;
  if (cudaError_t error = part(variable, count, offset, address)) return error;
  return copyBytes(address, from, count, kind);
}

cudaError_t fromSymbol(void* to, const void* variable, size_t count, size_t offset, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  char* address = nullptr;
  if (cudaError_t error = part(variable, count, offset, address)) return error;
  return copyBytes(to, address, count, kind);
}

}  // namespace
}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return call([&] { return toSymbol(symbol, from, count, offset, kind); });
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return call([&] { return fromSymbol(to, symbol, count, offset, kind); });
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&] {
    return validStream(stream) ? toSymbol(symbol, from, count, offset, kind) : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return call([&] {
    return validStream(stream) ? fromSymbol(to, symbol, count, offset, kind) : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* variable) {
  return call([&] {
    if (!pointer) return cudaErrorInvalidValue;
    Symbol symbol;
    cudaError_t error = find(variable, symbol);
    *pointer = symbol.address;
    return error;
  });
}
cudaError_t cudaGetSymbolSize(size_t* size, const void* variable) {
  return call([&] {
    if (!size) return cudaErrorInvalidValue;
    Symbol symbol;
    cudaError_t error = find(variable, symbol);
    *size = symbol.size;
    return error;
  });
}

}  // extern "C"
