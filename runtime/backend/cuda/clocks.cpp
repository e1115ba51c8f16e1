// SPDX-License-Identifier: Apache-2.0
/// NVML's few functions, declared here: its header is not in every toolkit, and its C interface is stable.
#include "backend/cuda/clocks.h"

#include <dlfcn.h>

namespace mneme::cuda {
namespace {

constexpr int kSuccess = 0;
constexpr unsigned kStreamingClock = 1;  // NVML_CLOCK_SM

struct Nvml {
  int (*init)() = nullptr;
  int (*handleByBusId)(const char*, void**) = nullptr;
  int (*clockInfo)(void*, unsigned, unsigned*) = nullptr;
  int (*slowdownReasons)(void*, unsigned long long*) = nullptr;
  bool ready = false;
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

/// Loaded once and never unloaded.
Nvml load() {
  Nvml nvml;
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return nvml;
  const bool found = find(library, "nvmlInit_v2", nvml.init) &&
                     find(library, "nvmlDeviceGetHandleByPciBusId_v2", nvml.handleByBusId) &&
                     find(library, "nvmlDeviceGetClockInfo", nvml.clockInfo) &&
                     find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.slowdownReasons);
  nvml.ready = found && nvml.init() == kSuccess;
  return nvml;
}

const Nvml& nvml() {
  static const Nvml loaded = load();
  return loaded;
}

}  // namespace

std::string slowedBy(unsigned long long reasons) {
  constexpr unsigned long long kHardware = 0x8, kSoftwareThermal = 0x20, kHardwareThermal = 0x40, kPowerBrake = 0x80;
  if (reasons & (kSoftwareThermal | kHardwareThermal)) return "its temperature";
  if (reasons & kPowerBrake) return "the power brake";
  return reasons & kHardware ? "its hardware (temperature or power)" : "";
}

Clocks::Clocks(const std::string& pciBusId) {
  if (nvml().ready && nvml().handleByBusId(pciBusId.c_str(), &device_) != kSuccess) device_ = nullptr;
}

std::optional<device::ClockReading> Clocks::read() const {
  if (!device_) return std::nullopt;
  device::ClockReading reading;
  if (nvml().clockInfo(device_, kStreamingClock, &reading.megahertz) != kSuccess) return std::nullopt;
  unsigned long long reasons = 0;
  if (nvml().slowdownReasons(device_, &reasons) == kSuccess) reading.slowedBy = slowedBy(reasons);
  return reading;
}

}  // namespace mneme::cuda
