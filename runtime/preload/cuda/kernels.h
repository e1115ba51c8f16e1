// SPDX-License-Identifier: Apache-2.0
/// What a kernel handle of a launch means: name, module, parameter layout, attributes. Handles are looked up at every
/// launch: a per-thread cache answers without a lock. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/cuda/api.h"
#include "base/launch.h"
#include "preload/cuda/modules.h"

namespace mneme::preload {

struct KnownKernel {
  std::string name;  ///< mangled; empty: it has none that can be found, and is never recorded
  record::ModuleId module = 0;  ///< 0: its cubin is not known
  CUfunction function = nullptr;
  CUmodule moduleHandle = nullptr;
  std::vector<ParameterSlot> parameters;
  uint32_t argumentBytes = 0;
  int64_t maxDynamicSharedBytes = -1, sharedCarveout = -1;
  cubin::Sampling sampling = cubin::Sampling::None;
  bool usesHeap = false;  ///< malloc in device code
  bool launchesKernels = false;  ///< dynamic parallelism
};

class Kernels {
 public:
  Kernels(const cuda::Api& api, Modules& modules) : api_(api), modules_(modules) {}

  /// `handle` is a CUfunction or a CUkernel, as launches pass it. `symbol`: the profiler interface's name for it, or
  /// null. Loads the kernel's module if it was not loaded yet. The result holds until the thread's next call.
  [[nodiscard]] const KnownKernel& of(CUfunction handle, CUcontext context, const char* symbol,
                                      record::Recorder& recorder);
  /// Function attributes were set: what is known of them is stale.
  void attributesChanged() { ++attributesGeneration_; }

 private:
  [[nodiscard]] std::shared_ptr<const KnownKernel> identify(CUfunction handle, CUcontext context, const char* symbol,
                                                            record::Recorder& recorder);
  [[nodiscard]] std::vector<ParameterSlot> parametersOf(CUfunction handle, bool isKernel, const KnownKernel& known,
                                                        const LoadedCubin* cubin) const;
  void readAttributes(KnownKernel& known) const;

  const cuda::Api& api_;
  Modules& modules_;
  std::atomic<uint64_t> attributesGeneration_{1};
};

}  // namespace mneme::preload
