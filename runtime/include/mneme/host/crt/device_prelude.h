// SPDX-License-Identifier: Apache-2.0
/// What must be declared before any standard header is read in device code: clang's forward declarations make <cmath>
/// resolve to device functions, and __CUDACC__ keeps libstdc++ away from __float128.
#pragma once

#include "../host_defines.h"

#include <__clang_cuda_math_forward_declares.h>

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <math.h>
#include <stdlib.h>  // its using-declarations must come before std's device overloads

extern "C" {
__device__ void free(void*) __attribute__((nothrow));
__device__ void* malloc(__SIZE_TYPE__) __attribute__((nothrow)) __attribute__((malloc));
}

#include <new>  // clang's wrapper defines the device side's operators with the two above
