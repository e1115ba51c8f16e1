// SPDX-License-Identifier: Apache-2.0
/// Device functions that CUDA's own headers have and clang's wrappers lack.
#pragma once

#include "cache_hints.h"

#define MNEME_DEVICE static __device__ __forceinline__

MNEME_DEVICE void __nanosleep(unsigned int) {}

// Float overloads of functions that only CUDA has.
#define MNEME_FLOAT_OVERLOAD(name) MNEME_DEVICE float name(float a) { return name##f(a); }
MNEME_FLOAT_OVERLOAD(erfinv)
MNEME_FLOAT_OVERLOAD(erfcinv)
MNEME_FLOAT_OVERLOAD(erfcx)
MNEME_FLOAT_OVERLOAD(normcdf)
MNEME_FLOAT_OVERLOAD(normcdfinv)
MNEME_FLOAT_OVERLOAD(exp10)
MNEME_FLOAT_OVERLOAD(rcbrt)
MNEME_FLOAT_OVERLOAD(rsqrt)
MNEME_FLOAT_OVERLOAD(sinpi)
MNEME_FLOAT_OVERLOAD(cospi)
#undef MNEME_FLOAT_OVERLOAD
MNEME_DEVICE void sincospi(float a, float* s, float* c) { sincospif(a, s, c); }
MNEME_DEVICE void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
MNEME_DEVICE float fdivide(float a, float b) { return fdividef(a, b); }

#undef MNEME_DEVICE
