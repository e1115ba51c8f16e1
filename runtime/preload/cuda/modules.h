// SPDX-License-Identifier: Apache-2.0
/// The cubins that the driver loaded, and which of them a module handle stands for.
/// The resource callbacks only copy bytes under a leaf lock; everything that asks the driver or the recorder comes later,
/// from API callbacks. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cuda.h>

#include "cubin/cubin.h"
#include "record/recorder.h"

namespace mneme::preload {

/// A loaded cubin. Never changes after it is made, but for what is found out late under the table's lock.
struct LoadedCubin {
  record::ModuleId id = 0;
  CUcontext context = nullptr;
  uint32_t driverNumber = 0;  ///< CUPTI's, unique among the loaded
  std::vector<std::byte> bytes;
  std::optional<cubin::Cubin> parsed;
  CUmodule handle = nullptr;
  bool announced = false;  ///< to the recorder
};

class Modules {
 public:
  /// From the resource callbacks.
  void loaded(CUcontext context, uint32_t driverNumber, std::span<const std::byte> bytes);
  void unloading(CUcontext context, uint32_t driverNumber);
  /// All modules of the context are gone with it.
  void contextDestroyed(CUcontext context);

  /// The last module loaded on this thread belongs to the handle, if it has none yet. Called at the exit of whatever
  /// loads modules.
  void claimLastLoaded(CUmodule handle);
  /// The module handle's cubin, or the newest unclaimed one of the context that defines the kernel; null if none does.
  [[nodiscard]] std::shared_ptr<LoadedCubin> find(CUmodule handle, CUcontext context, const std::string& kernel);
  [[nodiscard]] std::shared_ptr<LoadedCubin> find(record::ModuleId id) const;

  /// Makes sure that the recorder knows of it.
  void announce(LoadedCubin& cubin, record::Recorder& recorder);
  /// Tells the recorder of what was unloaded since; from API callbacks.
  void reportUnloaded(record::Recorder& recorder);
  /// Grows with every unload: what was derived from handles before is stale.
  [[nodiscard]] uint64_t generation() const;

 private:
  void parse(LoadedCubin& cubin);
  template <typename Which>
  void removeWhere(const Which& which);

  mutable std::mutex mutex_;
  std::map<record::ModuleId, std::shared_ptr<LoadedCubin>> cubins_;
  std::map<CUmodule, record::ModuleId> byHandle_;
  std::vector<std::shared_ptr<LoadedCubin>> unloaded_;  ///< not yet reported
  record::ModuleId nextId_ = 1;
  std::atomic<uint64_t> generation_{1};
};

}  // namespace mneme::preload
