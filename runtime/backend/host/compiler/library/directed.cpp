// SPDX-License-Identifier: Apache-2.0
/// Arithmetic with a rounding direction, by setting the processor's for the one operation.
#include "library.h"

#pragma STDC FENV_ACCESS ON

#ifdef __x86_64__
enum : int { kDown = 0x400, kUp = 0x800, kZero = 0xc00 };
#else
enum : int { kDown = 0x800000, kUp = 0x400000, kZero = 0xc00000 };
#endif

template <typename Operation>
[[gnu::always_inline]] static inline auto under(int direction, Operation operation) {
  const int before = fegetround();
  fesetround(direction);
  volatile auto result = operation();
  fesetround(before);
  return result;
}

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define UNIQUE CAT(mneme_directed_, __COUNTER__)

#define BINARY_IN(T, fn, libdevice, nvvm, direction, expression) \
  extern "C" __attribute__((noinline)) T libdevice(T x, T y) { \
    volatile T a = x, b = y; \
    return under(direction, [&]() -> T { return expression; }); \
  } \
  NVVM(T, fn, nvvm, T x, T y) { return libdevice(x, y); }
#define BINARY(T, prefix, type, name, op) \
  BINARY_IN(T, UNIQUE, __nv_##prefix##name##_rd, #name ".rm." type, kDown, a op b) \
  BINARY_IN(T, UNIQUE, __nv_##prefix##name##_ru, #name ".rp." type, kUp, a op b) \
  BINARY_IN(T, UNIQUE, __nv_##prefix##name##_rz, #name ".rz." type, kZero, a op b) \
  extern "C" T __nv_##prefix##name##_rn(T x, T y) { return x op y; } \
  NVVM(T, CAT(mneme_near_##prefix##name, _), #name ".rn." type, T x, T y) { return x op y; }
BINARY(double, d, "d", add, +) BINARY(double, d, "d", mul, *) BINARY(double, d, "d", div, /)
BINARY(float, f, "f", add, +) BINARY(float, f, "f", mul, *) BINARY(float, f, "f", div, /)

#define SUBTRACT(T, prefix) \
  extern "C" T __nv_##prefix##sub_rd(T x, T y) { return __nv_##prefix##add_rd(x, -y); } \
  extern "C" T __nv_##prefix##sub_ru(T x, T y) { return __nv_##prefix##add_ru(x, -y); } \
  extern "C" T __nv_##prefix##sub_rz(T x, T y) { return __nv_##prefix##add_rz(x, -y); } \
  extern "C" T __nv_##prefix##sub_rn(T x, T y) { return x - y; }
SUBTRACT(double, d) SUBTRACT(float, f)

#define UNARY_IN(T, fn, libdevice, nvvm, direction, expression) \
  extern "C" __attribute__((noinline)) T libdevice(T x) { \
    volatile T a = x; \
    return under(direction, [&]() -> T { return expression; }); \
  } \
  NVVM(T, fn, nvvm, T x) { return libdevice(x); }
#define UNARY(T, prefix, type, name, expression) \
  UNARY_IN(T, UNIQUE, __nv_##prefix##name##_rd, #name ".rm." type, kDown, expression) \
  UNARY_IN(T, UNIQUE, __nv_##prefix##name##_ru, #name ".rp." type, kUp, expression) \
  UNARY_IN(T, UNIQUE, __nv_##prefix##name##_rz, #name ".rz." type, kZero, expression) \
  extern "C" T __nv_##prefix##name##_rn(T a) { return expression; } \
  NVVM(T, CAT(mneme_near_##prefix##name, _), #name ".rn." type, T a) { return expression; }
UNARY(double, d, "d", rcp, 1.0 / a) UNARY(float, f, "f", rcp, 1.0f / a)
UNARY(double, d, "d", sqrt, __builtin_sqrt(a)) UNARY(float, f, "f", sqrt, __builtin_sqrtf(a))

#define FUSED_IN(T, fn, libdevice, nvvm, direction, function) \
  extern "C" __attribute__((noinline)) T libdevice(T x, T y, T z) { \
    volatile T a = x, b = y, c = z; \
    return under(direction, [&]() -> T { return function(a, b, c); }); \
  } \
  NVVM(T, fn, nvvm, T x, T y, T z) { return libdevice(x, y, z); }
#define FUSED(T, name, type, function) \
  FUSED_IN(T, UNIQUE, __nv_##name##_rd, "fma.rm." type, kDown, function) \
  FUSED_IN(T, UNIQUE, __nv_##name##_ru, "fma.rp." type, kUp, function) \
  FUSED_IN(T, UNIQUE, __nv_##name##_rz, "fma.rz." type, kZero, function) \
  extern "C" T __nv_##name##_rn(T x, T y, T z) { return __builtin_##function(x, y, z); } \
  NVVM(T, CAT(mneme_near_##name, _), "fma.rn." type, T x, T y, T z) { return __builtin_##function(x, y, z); }
FUSED(double, fma, "d", fma) FUSED(float, fmaf, "f", fmaf)
extern "C" float __nv_fmaf_ieee_rd(float x, float y, float z) { return __nv_fmaf_rd(x, y, z); }
extern "C" float __nv_fmaf_ieee_ru(float x, float y, float z) { return __nv_fmaf_ru(x, y, z); }
extern "C" float __nv_fmaf_ieee_rz(float x, float y, float z) { return __nv_fmaf_rz(x, y, z); }
extern "C" float __nv_fmaf_ieee_rn(float x, float y, float z) { return __nv_fmaf_rn(x, y, z); }
extern "C" float __nv_frsqrt_rn(float x) { return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x))); }

/// Integers and doubles to a narrower type.
#define NARROW_IN(To, From, fn, libdevice, nvvm, direction) \
  extern "C" __attribute__((noinline)) To libdevice(From x) { \
    volatile From a = x; \
    return under(direction, [&]() -> To { return static_cast<To>(a); }); \
  } \
  NVVM(To, fn, nvvm, From x) { return libdevice(x); }
#define NARROW(To, From, libdevice, nvvm) \
  NARROW_IN(To, From, UNIQUE, libdevice##_rd, nvvm ".rm", kDown) \
  NARROW_IN(To, From, UNIQUE, libdevice##_ru, nvvm ".rp", kUp) \
  NARROW_IN(To, From, UNIQUE, libdevice##_rz, nvvm ".rz", kZero) \
  extern "C" To libdevice##_rn(From x) { return static_cast<To>(x); } \
  NVVM(To, CAT(libdevice, _near), nvvm ".rn", From x) { return static_cast<To>(x); }
NARROW(float, double, __nv_double2float, "d2f")
NARROW(float, i32, __nv_int2float, "i2f") NARROW(float, u32, __nv_uint2float, "ui2f")
NARROW(float, i64, __nv_ll2float, "ll2f") NARROW(float, u64, __nv_ull2float, "ull2f")
NARROW(double, i32, __nv_int2double, "i2d") NARROW(double, u32, __nv_uint2double, "ui2d")
NARROW(double, i64, __nv_ll2double, "ll2d") NARROW(double, u64, __nv_ull2double, "ull2d")
