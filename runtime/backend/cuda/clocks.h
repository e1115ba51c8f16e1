// SPDX-License-Identifier: Apache-2.0
/// What NVML tells of one GPU without special rights: its clock, and what holds it down. The library comes with the driver
/// and is loaded at run time; where it is missing nothing is told.
#pragma once

#include <optional>
#include <string>

#include "device/clocks.h"

namespace mneme::cuda {

class Clocks {
 public:
  /// "0000:1b:00.0", as cuDeviceGetPCIBusId writes it.
  explicit Clocks(const std::string& pciBusId);
  [[nodiscard]] std::optional<device::ClockReading> read() const;

 private:
  void* device_ = nullptr;  ///< NVML's handle
};

/// The strongest reason among NVML's bits why a clock is held down; empty for those that are ordinary (idle, application
/// clocks, the power limit of a busy GPU).
[[nodiscard]] std::string slowedBy(unsigned long long reasons);

}  // namespace mneme::cuda
