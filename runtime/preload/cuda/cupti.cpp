// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cupti.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace mneme::preload {
namespace {

/// A library that the program has loaded already first (PyTorch brings its own), then the toolkit's.
std::vector<std::string> candidates(int major) {
  const std::string file = "libcupti.so." + std::to_string(major);
  std::vector<std::string> names;
  if (const char* own = std::getenv("MNEME_CUPTI")) names.emplace_back(own);
  names.push_back(file);
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable)) roots.emplace_back(root);
  roots.push_back("/usr/local/cuda-" + std::to_string(major));
  roots.emplace_back("/usr/local/cuda");
  roots.emplace_back("/opt/cuda");
  for (const std::string& root : roots)
    for (const char* folder : {"/extras/CUPTI/lib64/", "/lib64/", "/targets/x86_64-linux/lib/", "/lib/"})
      names.push_back(root + folder + file);
  return names;
}

void* openLibrary(int major) {
  const std::vector<std::string> names = candidates(major);
  for (const std::string& name : names)
    if (void* loaded = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) return loaded;
  for (const std::string& name : names)
    if (void* loaded = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return loaded;
  return nullptr;
}

template <typename Function>
bool find(void* library, Function& function, const char* name) {
  void* symbol = dlsym(library, name);
  std::memcpy(&function, &symbol, sizeof symbol);
  return symbol != nullptr;
}

}  // namespace

Expected<Cupti> Cupti::load(int driverVersion) {
  const int major = driverVersion / 1000;
  void* library = openLibrary(major);
  if (!library) {
    void* older = major > 12 ? openLibrary(major - 1) : nullptr;
    return Error(ErrorCode::Unavailable,
                 "libcupti.so." + std::to_string(major) +
                     (older ? " not found, only that of CUDA " + std::to_string(major - 1) + ", which does not fit the driver"
                            : std::string(" not found")) +
                     ": install the CUDA " + std::to_string(major) + " toolkit's CUPTI, or name the file in MNEME_CUPTI");
  }
  Cupti cupti;
  if (!find(library, cupti.subscribe_, "cuptiSubscribe") || !find(library, cupti.enable_, "cuptiEnableCallback") ||
      !find(library, cupti.resultString_, "cuptiGetResultString"))
    return Error(ErrorCode::Unavailable, "libcupti.so." + std::to_string(major) + " lacks functions of CUDA 12");
  return cupti;
}

Expected<void> Cupti::subscribe(CUpti_CallbackFunc callback, void* user) {
  const CUptiResult result = subscribe_(&subscriber_, callback, user);
  if (result == CUPTI_SUCCESS) return {};
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    return Error(ErrorCode::Unavailable, "a profiler is attached to this program already, and CUPTI serves only one");
  const char* text = nullptr;
  resultString_(result, &text);
  return Error(ErrorCode::Unavailable, std::string("CUPTI refuses: ") + (text ? text : "unknown error"));
}

bool Cupti::enable(CUpti_CallbackDomain domain, uint32_t id) const {
  return enable_(1, subscriber_, domain, id) == CUPTI_SUCCESS;
}

}  // namespace mneme::preload
