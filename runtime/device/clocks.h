// SPDX-License-Identifier: Apache-2.0
/// An ability that a Device may have besides: it can tell at which clock it works, and whether something slows it down.
/// Found by a cast: dynamic_cast<device::ClockSource*>(&device).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mneme::device {

struct ClockReading {
  uint32_t megahertz = 0;
  std::string slowedBy;  ///< "temperature", "power brake"; empty: the device decides its clock by itself
};

class ClockSource {
 public:
  virtual ~ClockSource() = default;
  /// Needs no special rights; nullopt where the driver does not tell. Some microseconds.
  [[nodiscard]] virtual std::optional<ClockReading> readClock() = 0;
};

}  // namespace mneme::device
