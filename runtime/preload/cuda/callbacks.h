// SPDX-License-Identifier: Apache-2.0
/// Which driver calls the recorder listens to, and what it does with each.
#pragma once

#include "preload/cuda/cupti.h"
#include "preload/cuda/interceptor.h"

namespace mneme::preload {

/// Asks CUPTI for every callback of the table. Calls that this CUPTI does not know never come.
void enableCallbacks(const Cupti& cupti);

/// What CUPTI calls; `user` is the Interceptor. Never throws, never changes what the program sees.
void CUPTIAPI onCallback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

}  // namespace mneme::preload
