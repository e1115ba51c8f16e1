// SPDX-License-Identifier: Apache-2.0
/// CUDA's half and half2, on both sides. Conversions round to nearest even unless named otherwise; what is not here
/// fails to compile.
#pragma once

#include <math.h>
#include <string.h>

#include "crt/narrow_float_device.h"
#include "cuda_runtime.h"

#define MNEME_HALF static inline __host__ __device__

MNEME_HALF unsigned short mneme_half_bits(float value) {
#if defined(__clang__)
  _Float16 narrow = (_Float16)value;
  unsigned short bits;
  memcpy(&bits, &narrow, sizeof bits);
  return bits;
#else
  unsigned int u;
  memcpy(&u, &value, sizeof u);
  unsigned int sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
  if (magnitude > 0x7f800000) return (unsigned short)(sign | 0x7e00);
  if (magnitude >= 0x477ff000) return (unsigned short)(sign | 0x7c00);  // rounds to infinity
  if (magnitude < 0x38800000) {                                          // subnormal: units of 2^-24
    float scaled;
    memcpy(&scaled, &magnitude, sizeof scaled);
    return (unsigned short)(sign | (unsigned int)lrintf(scaled * 16777216.0f));
  }
  unsigned int rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return (unsigned short)(sign | ((rounded >> 13) - (112 << 10)));
#endif
}

MNEME_HALF float mneme_half_value(unsigned short bits) {
#if defined(__clang__)
  _Float16 narrow;
  memcpy(&narrow, &bits, sizeof bits);
  return (float)narrow;
#else
  unsigned int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  float magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                    : exponent     ? ldexpf((float)(mantissa | 0x400), (int)exponent - 25)
                                   : ldexpf((float)mantissa, -24);
  return bits & 0x8000 ? -magnitude : magnitude;
#endif
}

struct __half_raw {
  unsigned short x;
};

struct __align__(2) __half {
  unsigned short __x;
  __half() = default;
  __host__ __device__ constexpr __half(__half_raw raw) : __x(raw.x) {}
  __host__ __device__ __half(float value) : __x(mneme_half_bits(value)) {}
  __host__ __device__ __half(double value) : __x(mneme_half_bits((float)value)) {}
  __host__ __device__ __half(int value) : __x(mneme_half_bits((float)value)) {}
  __host__ __device__ __half(unsigned int value) : __x(mneme_half_bits((float)value)) {}
  __host__ __device__ operator float() const { return mneme_half_value(__x); }
};
struct __align__(4) __half2 {
  __half x, y;
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;

MNEME_HALF float __half2float(__half a) { return mneme_half_value(a.__x); }
MNEME_HALF __half __float2half(float a) { return __half(a); }
MNEME_HALF __half __float2half_rn(float a) { return __half(a); }
MNEME_HALF __half __double2half(double a) { return __half(a); }
MNEME_HALF __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
MNEME_HALF __half __short_as_half(short bits) { return __half(__half_raw{(unsigned short)bits}); }
MNEME_HALF unsigned short __half_as_ushort(__half a) { return a.__x; }
MNEME_HALF short __half_as_short(__half a) { return (short)a.__x; }
MNEME_HALF __half __int2half_rn(int a) { return __half(a); }
MNEME_HALF __half __uint2half_rn(unsigned int a) { return __half(a); }
MNEME_HALF int __half2int_rn(__half a) { return (int)rintf(__half2float(a)); }
MNEME_HALF int __half2int_rz(__half a) { return (int)truncf(__half2float(a)); }
MNEME_HALF int __half2int_rd(__half a) { return (int)floorf(__half2float(a)); }
MNEME_HALF int __half2int_ru(__half a) { return (int)ceilf(__half2float(a)); }
MNEME_HALF unsigned int __half2uint_rn(__half a) { return (unsigned int)rintf(__half2float(a)); }
MNEME_HALF unsigned int __half2uint_rz(__half a) { return (unsigned int)truncf(__half2float(a)); }
MNEME_HALF short __half2short_rn(__half a) { return (short)rintf(__half2float(a)); }
MNEME_HALF unsigned short __half2ushort_rn(__half a) { return (unsigned short)rintf(__half2float(a)); }
MNEME_HALF __half __short2half_rn(short a) { return __half((int)a); }
MNEME_HALF __half __ushort2half_rn(unsigned short a) { return __half((int)a); }
MNEME_HALF __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
MNEME_HALF __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
MNEME_HALF __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
MNEME_HALF float2 __half22float2(__half2 a) { return {__half2float(a.x), __half2float(a.y)}; }
MNEME_HALF __half2 __halves2half2(__half a, __half b) { return {a, b}; }
MNEME_HALF __half2 make_half2(__half a, __half b) { return {a, b}; }
MNEME_HALF __half2 __half2half2(__half a) { return {a, a}; }
MNEME_HALF __half __low2half(__half2 a) { return a.x; }
MNEME_HALF __half __high2half(__half2 a) { return a.y; }
MNEME_HALF float __low2float(__half2 a) { return __half2float(a.x); }
MNEME_HALF float __high2float(__half2 a) { return __half2float(a.y); }
MNEME_HALF __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
MNEME_HALF __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
MNEME_HALF __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }

#undef MNEME_HALF

#define MNEME_NARROW __half
#define MNEME_NARROW2 __half2
#define MNEME_WIDEN(a) __half2float(a)
#define MNEME_ROUND(v) __float2half(v)
#include "crt/narrow_float.h"
#undef MNEME_NARROW
#undef MNEME_NARROW2
#undef MNEME_WIDEN
#undef MNEME_ROUND

#if defined(__CUDA__) && defined(__clang__)
MNEME_NARROW_DEVICE(__half, __half2, __half_as_ushort, __ushort_as_half)
#endif
