// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/api.h"

#include <dlfcn.h>

#include <cstring>

// cuda.h may rename functions to a version newer than the driver at hand has; the exported names are in symbols.def.
namespace mneme::cuda {
namespace {

constexpr int kOldestDriver = 12000;

Error unavailable(std::string what) { return {ErrorCode::Unavailable, std::move(what)}; }

/// The name of the first missing function, or nullptr.
const char* loadSymbols(void* library, Api& api) {
  const char* missing = nullptr;
  const auto load = [&](auto& member, const char* name, bool required) {
    void* symbol = dlsym(library, name);
    std::memcpy(&member, &symbol, sizeof symbol);
    if (!symbol && required && !missing) missing = name;
  };
#define MNEME_CUDA_SYMBOL(name, exported) load(api.name, exported, true);
#define MNEME_CUDA_OPTIONAL(name, ...) load(api.name, #name, false);
#include "backend/cuda/symbols.def"
#undef MNEME_CUDA_SYMBOL
#undef MNEME_CUDA_OPTIONAL
  return missing;
}

Expected<const Api*> loadDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    return unavailable(std::string("no CUDA driver: install NVIDIA's driver, or run where a GPU is (") +
                       (reason ? reason : "libcuda.so.1 not found") + ")");
  }
  static Api api;
  const char* missing = loadSymbols(library, api);
  int version = 0;
  if (api.cuDriverGetVersion) api.cuDriverGetVersion(&version);
  if (version != 0 && version < kOldestDriver)
    return unavailable("the CUDA driver is of version " + std::to_string(version / 1000) + "." +
                       std::to_string(version % 1000 / 10) + "; version 12 or newer is needed");
  if (missing) return unavailable(std::string("the CUDA driver lacks ") + missing + "; version 12 or newer is needed");
  return &api;
}

/// What to do about an error, where people usually need to be told.
const char* hintFor(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
      return "; the image is for another GPU: replay it with --as ptx or --as llvm";
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "; the PTX is newer than this driver: update the driver";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "; the kernel used memory that it was not given (compute-sanitizer shows where)";
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "; the GPU's memory is full: see nvidia-smi for who uses it";
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return "; the grid does not fit on this GPU at once, which a cooperative launch needs";
    default:
      return "";
  }
}

}  // namespace

Expected<void> Api::check(CUresult result, const char* call) const {
  if (result == CUDA_SUCCESS) return {};
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name) name = "unknown error";
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || !text) text = "unknown error";
  return Error(ErrorCode::Device, std::string(call) + ": " + text + " (" + name + ")" + hintFor(result));
}

const Expected<const Api*>& api() {
  static const auto& loaded = *new Expected<const Api*>(loadDriver());  // outlives static destructors
  return loaded;
}

}  // namespace mneme::cuda
