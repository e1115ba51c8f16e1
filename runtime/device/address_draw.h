// SPDX-License-Identifier: Apache-2.0
/// Are the recorded addresses free in this process, and if not: once more, with other addresses.
/// To be asked before any vendor library is initialised. Looks and never holds: a range that is mapped when CUDA
/// initialises stays refused afterwards, even if it was unmapped right after.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/launch.h"

namespace mneme::device {

/// Those of the ranges that overlap a mapping in text of the form of /proc/self/maps.
[[nodiscard]] std::vector<MemoryRange> takenIn(std::string_view maps, std::span<const MemoryRange> ranges);

/// The same for this process; Io if it cannot be read.
[[nodiscard]] Expected<std::vector<MemoryRange>> takenHere(std::span<const MemoryRange> ranges);

/// Re-executes this program with the same arguments, so that the kernel places everything anew: at most 7 times, and the
/// 8th without randomisation and with the legacy layout, where the sandbox allows `personality`. Counts in the
/// environment variable MNEME_ADDRESS_DRAW. Does not return if it works; Unavailable once the draws are used up.
[[nodiscard]] Error drawAgain(char* const* arguments);

}  // namespace mneme::device
