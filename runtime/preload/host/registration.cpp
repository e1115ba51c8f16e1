// SPDX-License-Identifier: Apache-2.0
/// The entry points that compilers' start-up code calls to register an object's kernels and variables.
#include <mutex>

#include "base/log.h"
#include "preload/host/api.h"
#include "preload/host/module_registry.h"
#include "preload/host/recording.h"

namespace {

using mneme::host_runtime::FatBinary;
using mneme::host_runtime::ModuleRegistry;

constexpr int kWrapperMagic = 0x466243b1;

struct FatBinaryWrapper {
  int magic, version;
  const void* data;
  void* unused;
};

FatBinary* of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

struct PushedConfiguration {
  dim3 grid, block;
  size_t sharedBytes;
  void* stream;
};

// Launches nest: an argument of one may launch another.
thread_local PushedConfiguration pushed[16];
thread_local unsigned pushedCount = 0;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(const FatBinaryWrapper* wrapper) {
  mneme::host_runtime::startRecording();
  if (wrapper->magic != kWrapperMagic) mneme::log(mneme::LogLevel::Error, "an object registers unknown device code");
  return reinterpret_cast<void**>(ModuleRegistry::instance().add(wrapper->data));
}
void __cudaRegisterFatBinaryEnd(void** handle) { of(handle)->complete(); }
void __cudaUnregisterFatBinary(void** handle) { ModuleRegistry::instance().remove(of(handle)); }
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*, void*, void*,
                            int*) {
  ModuleRegistry::instance().addKernel(of(handle), stub, name);
}
void __cudaRegisterVar(void** handle, char* variable, char*, const char* name, int, size_t size, int constant, int) {
  ModuleRegistry::instance().addSymbol(of(handle), variable, name, size, constant != 0);
}

void __cudaRegisterMnemeManaged(const char* start, const char* stop) { ModuleRegistry::instance().addManaged(start, stop); }

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes, void* stream) {
  if (pushedCount == std::size(pushed)) return 1;
  pushed[pushedCount++] = {grid, block, sharedBytes, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* sharedBytes, void** stream) {
  if (pushedCount == 0) return cudaErrorMissingConfiguration;
  const auto& last = pushed[--pushedCount];
  *grid = last.grid;
  *block = last.block;
  *sharedBytes = last.sharedBytes;
  *stream = last.stream;
  return cudaSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
