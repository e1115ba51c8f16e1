// SPDX-License-Identifier: Apache-2.0
/// What lanes of a warp tell each other at a warp point, as PTX defines it.
#pragma once

#include "backend/host/kernel_abi.h"

namespace mneme::host {

/// Fills `result` of every lane in `lanes` (bit i: slots[i]) from the operands of those lanes.
void exchangeLanes(ExchangeSlot* slots, uint32_t lanes, PointKind kind);

}  // namespace mneme::host
