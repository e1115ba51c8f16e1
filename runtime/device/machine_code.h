// SPDX-License-Identifier: Apache-2.0
/// An ability that a Kernel may have besides: it can tell its machine code apart from another's. Needed where a device makes
/// the code itself (the CPU device, of bitcode). Found by a cast: dynamic_cast<device::MachineCode*>(&kernel).
#pragma once

#include "base/error.h"
#include "base/hash.h"

namespace mneme::device {

class MachineCode {
 public:
  virtual ~MachineCode() = default;
  /// Equal for kernels whose instructions and constants are equal; names and line tables do not count.
  [[nodiscard]] virtual Expected<Hash128> machineCodeHash() = 0;
};

}  // namespace mneme::device
