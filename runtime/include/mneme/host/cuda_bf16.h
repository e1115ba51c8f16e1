// SPDX-License-Identifier: Apache-2.0
/// CUDA's bfloat16 and its pair, on both sides; conversions round to nearest even.
#pragma once

#include <math.h>
#include <string.h>

#include "crt/narrow_float_device.h"
#include "cuda_runtime.h"

#define MNEME_BF static inline __host__ __device__

MNEME_BF unsigned int mneme_float_bits(float value) {
  unsigned int u;
  memcpy(&u, &value, sizeof u);
  return u;
}
MNEME_BF unsigned short mneme_bfloat_bits(float value) {
  const unsigned int u = mneme_float_bits(value);
  if ((u & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
MNEME_BF float mneme_bfloat_value(unsigned short bits) {
  unsigned int u = (unsigned int)bits << 16;
  float value;
  memcpy(&value, &u, sizeof value);
  return value;
}

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __align__(2) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __host__ __device__ constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
  __host__ __device__ __nv_bfloat16(float value) : __x(mneme_bfloat_bits(value)) {}
  __host__ __device__ __nv_bfloat16(double value) : __x(mneme_bfloat_bits((float)value)) {}
  __host__ __device__ __nv_bfloat16(int value) : __x(mneme_bfloat_bits((float)value)) {}
  __host__ __device__ operator float() const { return mneme_bfloat_value(__x); }
};
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

MNEME_BF float __bfloat162float(__nv_bfloat16 a) { return mneme_bfloat_value(a.__x); }
MNEME_BF __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
MNEME_BF __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
MNEME_BF __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
MNEME_BF __nv_bfloat16 __float2bfloat16_rz(float a) {
  return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)(a != a ? 0x7fff : mneme_float_bits(a) >> 16)});
}
MNEME_BF int __bfloat162int_rn(__nv_bfloat16 a) { return (int)rintf(mneme_bfloat_value(a.__x)); }
MNEME_BF int __bfloat162int_rz(__nv_bfloat16 a) { return (int)truncf(mneme_bfloat_value(a.__x)); }
MNEME_BF int __bfloat162int_rd(__nv_bfloat16 a) { return (int)floorf(mneme_bfloat_value(a.__x)); }
MNEME_BF int __bfloat162int_ru(__nv_bfloat16 a) { return (int)ceilf(mneme_bfloat_value(a.__x)); }
MNEME_BF unsigned int __bfloat162uint_rn(__nv_bfloat16 a) { return (unsigned int)rintf(mneme_bfloat_value(a.__x)); }
MNEME_BF __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
MNEME_BF __nv_bfloat16 __uint2bfloat16_rn(unsigned int a) { return __nv_bfloat16((float)a); }
MNEME_BF __nv_bfloat16 __short_as_bfloat16(short bits) { return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)bits}); }
MNEME_BF short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
MNEME_BF __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
MNEME_BF float __low2float(__nv_bfloat162 a) { return mneme_bfloat_value(a.x.__x); }
MNEME_BF float __high2float(__nv_bfloat162 a) { return mneme_bfloat_value(a.y.__x); }
MNEME_BF __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
MNEME_BF __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
MNEME_BF unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
MNEME_BF __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
MNEME_BF __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
MNEME_BF float2 __bfloat1622float2(__nv_bfloat162 a) { return {__bfloat162float(a.x), __bfloat162float(a.y)}; }
MNEME_BF __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
MNEME_BF __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
MNEME_BF __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
MNEME_BF __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }

#undef MNEME_BF

#define MNEME_NARROW __nv_bfloat16
#define MNEME_NARROW2 __nv_bfloat162
#define MNEME_WIDEN(a) __bfloat162float(a)
#define MNEME_ROUND(v) __float2bfloat16(v)
#include "crt/narrow_float.h"
#undef MNEME_NARROW
#undef MNEME_NARROW2
#undef MNEME_WIDEN
#undef MNEME_ROUND

#if defined(__CUDA__) && defined(__clang__)
MNEME_NARROW_DEVICE(__nv_bfloat16, __nv_bfloat162, __bfloat16_as_ushort, __ushort_as_bfloat16)
#endif
