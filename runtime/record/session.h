// SPDX-License-Identifier: Apache-2.0
/// One launch being recorded: opened by Recorder::launching, completed by ::launched, then owned by the writer queue.
/// The device is held while `device` is set; destroying a session anywhere gives everything back.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/manifest.h"
#include "record/modules.h"
#include "record/selection.h"
#include "record/snapshot.h"
#include "record/waiting.h"

namespace mneme::record {

/// A device held by the launching thread. Must go on the thread that made it.
class HeldDevice {
 public:
  /// `gate` has been entered.
  explicit HeldDevice(DeviceGate& gate) : gate_(&gate) { holding = true; }
  HeldDevice(const HeldDevice&) = delete;
  HeldDevice& operator=(const HeldDevice&) = delete;
  ~HeldDevice() { (void)release(); }

  /// True if others may have written memory meanwhile.
  bool release() {
    if (!gate_) return false;
    holding = false;
    return std::exchange(gate_, nullptr)->leave();
  }
  /// The calling thread holds a device: what it launches now belongs to the recorder or to a nested call.
  [[nodiscard]] static bool heldByThisThread() { return holding; }

 private:
  static inline thread_local bool holding = false;
  DeviceGate* gate_;
};

class Session {
 public:
  Session(Choice choice, MemoryBudget& budget) : choice(std::move(choice)), snapshot(budget) {}

  Choice choice;
  std::shared_ptr<KeptCode> code;
  format::Manifest manifest;
  Snapshot snapshot;
  Snapshot::Contents contents;  ///< set by launched()
  std::vector<MemoryRange> fleeting;  ///< places whose addresses it must not have written; set by launched()
  std::unique_ptr<HeldDevice> device;
};

}  // namespace mneme::record
