// SPDX-License-Identifier: Apache-2.0
/// What can be timed: something that is put back to its start, then run any number of times in a row.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "device/clocks.h"

namespace mneme::measure {

class Workload {
 public:
  virtual ~Workload() = default;
  /// Memory as it was before the first launch.
  [[nodiscard]] virtual Expected<void> restore() = 0;
  /// Caches as after other work: nothing of the workload's memory is in them. Does nothing where that cannot be had.
  [[nodiscard]] virtual Expected<void> flushCaches() = 0;
  /// So many launches back to back, without restoring between them; nanoseconds of all together by the device's clock.
  [[nodiscard]] virtual Expected<uint64_t> run(unsigned launches) = 0;
  /// The device's clock now; nullopt where it cannot be told.
  [[nodiscard]] virtual std::optional<device::ClockReading> readClock() = 0;
};

}  // namespace mneme::measure
