// SPDX-License-Identifier: Apache-2.0
/// How many blocks of a kernel fit on one multiprocessor, from its statistics and the architecture's limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "code/kernel_statistics.h"

namespace mneme::code {

struct Occupancy {
  uint32_t blocks = 0;  ///< per multiprocessor; 0: it does not fit at all
  uint32_t warps = 0;
  double fraction = 0;  ///< of the warps that the multiprocessor can hold
  std::string_view limit;  ///< "registers", "shared memory", "threads", "blocks"
};

/// nullopt for an architecture whose limits are not known here.
[[nodiscard]] std::optional<Occupancy> theoreticalOccupancy(const KernelStatistics& kernel, uint32_t threadsPerBlock,
                                                            uint64_t dynamicSharedBytes);

}  // namespace mneme::code
