// SPDX-License-Identifier: Apache-2.0
/// Device functions that CUDA's own headers have and clang's wrappers lack.
#pragma once

#include "cache_hints.h"

#define MNEME_DEVICE static __device__ __forceinline__

MNEME_DEVICE void __nanosleep(unsigned int) {}

// Float overloads: clang's wrappers declare those of <cmath> and count on CUDA's headers for the bodies; others only CUDA has.
#define MNEME_FLOAT_OVERLOAD(name) MNEME_DEVICE float name(float a) { return name##f(a); }
MNEME_FLOAT_OVERLOAD(acosh)
MNEME_FLOAT_OVERLOAD(asinh)
MNEME_FLOAT_OVERLOAD(atanh)
MNEME_FLOAT_OVERLOAD(cbrt)
MNEME_FLOAT_OVERLOAD(erfc)
MNEME_FLOAT_OVERLOAD(erf)
MNEME_FLOAT_OVERLOAD(exp2)
MNEME_FLOAT_OVERLOAD(expm1)
MNEME_FLOAT_OVERLOAD(lgamma)
MNEME_FLOAT_OVERLOAD(log1p)
MNEME_FLOAT_OVERLOAD(log2)
MNEME_FLOAT_OVERLOAD(logb)
MNEME_FLOAT_OVERLOAD(nearbyint)
MNEME_FLOAT_OVERLOAD(rint)
MNEME_FLOAT_OVERLOAD(round)
MNEME_FLOAT_OVERLOAD(tgamma)
MNEME_FLOAT_OVERLOAD(trunc)
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
#define MNEME_FLOAT_OVERLOAD2(name) MNEME_DEVICE float name(float a, float b) { return name##f(a, b); }
MNEME_FLOAT_OVERLOAD2(copysign)
MNEME_FLOAT_OVERLOAD2(fdim)
MNEME_FLOAT_OVERLOAD2(fmax)
MNEME_FLOAT_OVERLOAD2(fmin)
MNEME_FLOAT_OVERLOAD2(hypot)
MNEME_FLOAT_OVERLOAD2(nextafter)
MNEME_FLOAT_OVERLOAD2(remainder)
#undef MNEME_FLOAT_OVERLOAD2
MNEME_DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }
MNEME_DEVICE int ilogb(float a) { return ilogbf(a); }
MNEME_DEVICE long lrint(float a) { return lrintf(a); }
MNEME_DEVICE long long llrint(float a) { return llrintf(a); }
MNEME_DEVICE long lround(float a) { return lroundf(a); }
MNEME_DEVICE long long llround(float a) { return llroundf(a); }
MNEME_DEVICE float scalbn(float a, int n) { return scalbnf(a, n); }
MNEME_DEVICE float scalbln(float a, long n) { return scalblnf(a, n); }
MNEME_DEVICE void sincospi(float a, float* s, float* c) { sincospif(a, s, c); }
MNEME_DEVICE void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
MNEME_DEVICE float fdivide(float a, float b) { return fdividef(a, b); }

#undef MNEME_DEVICE
