// SPDX-License-Identifier: Apache-2.0
/// NVIDIA's profiling interface, loaded at run time: who calls the driver with what, and which modules it loads.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>

#include "base/error.h"

namespace mneme::preload {

class Cupti {
 public:
  /// `driverVersion` as cuDriverGetVersion says it. Unavailable, with what to do, where there is none that fits.
  [[nodiscard]] static Expected<Cupti> load(int driverVersion);

  /// Unavailable where a profiler has it already.
  [[nodiscard]] Expected<void> subscribe(CUpti_CallbackFunc callback, void* user);
  /// False where this CUPTI does not know the callback; it then never comes.
  bool enable(CUpti_CallbackDomain domain, uint32_t id) const;

 private:
  decltype(&::cuptiSubscribe) subscribe_ = nullptr;
  decltype(&::cuptiEnableCallback) enable_ = nullptr;
  decltype(&::cuptiGetResultString) resultString_ = nullptr;
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

}  // namespace mneme::preload
