// SPDX-License-Identifier: Apache-2.0
/// HIP's half is CUDA's here.
#pragma once

#include "../cuda_fp16.h"
#include "hip_runtime.h"
