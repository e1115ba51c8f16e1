// SPDX-License-Identifier: Apache-2.0
/// A name that CUDA sources include; everything is in cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
