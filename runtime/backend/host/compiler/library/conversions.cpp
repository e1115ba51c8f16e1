// SPDX-License-Identifier: Apache-2.0
/// Conversions as the GPU does them: out of range saturates, not-a-number becomes zero (32 bit) or the lowest value (64).
#include "library.h"

template <typename To, typename From>
static To saturated(From x, To least, To most, From below, From above) {
  if (x != x) return sizeof(To) == 8 ? static_cast<To>(1ull << 63) : To(0);
  if (x <= below) return least;
  if (x >= above) return most;
  return static_cast<To>(x);
}
template <typename From> static i32 toInt(From x) { return saturated<i32, From>(x, -2147483647 - 1, 2147483647, From(-2147483648.0), From(2147483648.0)); }
template <typename From> static u32 toUint(From x) { return saturated<u32, From>(x, 0u, 0xffffffffu, From(0), From(4294967296.0)); }
template <typename From> static i64 toLong(From x) { return saturated<i64, From>(x, -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll, From(-9223372036854775808.0), From(9223372036854775808.0)); }
template <typename From> static u64 toUlong(From x) { return saturated<u64, From>(x, 0ull, ~0ull, From(0), From(18446744073709551616.0)); }

#define DIRECTIONS(To, From, libdevice, nvvm, convert, suffix) \
  LIBDEVICE To libdevice##_rd(From x) { return convert(__builtin_floor##suffix(x)); } \
  LIBDEVICE To libdevice##_ru(From x) { return convert(__builtin_ceil##suffix(x)); } \
  LIBDEVICE To libdevice##_rz(From x) { return convert(__builtin_trunc##suffix(x)); } \
  LIBDEVICE To libdevice##_rn(From x) { return convert(__builtin_rint##suffix(x)); } \
  NVVM(To, libdevice##_m, nvvm ".rm", From x) { return libdevice##_rd(x); } \
  NVVM(To, libdevice##_p, nvvm ".rp", From x) { return libdevice##_ru(x); } \
  NVVM(To, libdevice##_z, nvvm ".rz", From x) { return libdevice##_rz(x); } \
  NVVM(To, libdevice##_n, nvvm ".rn", From x) { return libdevice##_rn(x); }
DIRECTIONS(i32, double, __nv_double2int, "d2i", toInt, ) DIRECTIONS(u32, double, __nv_double2uint, "d2ui", toUint, )
DIRECTIONS(i64, double, __nv_double2ll, "d2ll", toLong, ) DIRECTIONS(u64, double, __nv_double2ull, "d2ull", toUlong, )
DIRECTIONS(i32, float, __nv_float2int, "f2i", toInt, f) DIRECTIONS(u32, float, __nv_float2uint, "f2ui", toUint, f)
DIRECTIONS(i64, float, __nv_float2ll, "f2ll", toLong, f) DIRECTIONS(u64, float, __nv_float2ull, "f2ull", toUlong, f)

LIBDEVICE i64 __nv_llrint(double x) { return toLong(__builtin_rint(x)); }
LIBDEVICE i64 __nv_llrintf(float x) { return toLong(__builtin_rintf(x)); }
LIBDEVICE i64 __nv_llround(double x) { return toLong(__builtin_round(x)); }
LIBDEVICE i64 __nv_llroundf(float x) { return toLong(__builtin_roundf(x)); }
LIBDEVICE int __nv_double2hiint(double x) { return static_cast<int>(bits<u64>(x) >> 32); }
LIBDEVICE int __nv_double2loint(double x) { return static_cast<int>(bits<u64>(x)); }
LIBDEVICE double __nv_hiloint2double(int hi, int lo) { return bits<double>(static_cast<u64>(static_cast<u32>(hi)) << 32 | static_cast<u32>(lo)); }
LIBDEVICE i64 __nv_double_as_longlong(double x) { return bits<i64>(x); }
LIBDEVICE double __nv_longlong_as_double(i64 x) { return bits<double>(x); }
LIBDEVICE int __nv_float_as_int(float x) { return bits<int>(x); }
LIBDEVICE u32 __nv_float_as_uint(float x) { return bits<u32>(x); }
LIBDEVICE float __nv_int_as_float(int x) { return bits<float>(x); }
LIBDEVICE float __nv_uint_as_float(u32 x) { return bits<float>(x); }
LIBDEVICE double __nv_rcp64h(double x) { return bits<double>(bits<u64>(1 / x) & 0xffffffff00000000ull); }
LIBDEVICE u16 __nv_float2half_rn(float x) { return bits<u16>(static_cast<half>(x)); }
LIBDEVICE float __nv_half2float(u16 x) { return bits<half>(x); }

NVVM(i32, mneme_d2i_hi, "d2i.hi", double x) { return __nv_double2hiint(x); }
NVVM(i32, mneme_d2i_lo, "d2i.lo", double x) { return __nv_double2loint(x); }
NVVM(double, mneme_lohi_i2d, "lohi.i2d", i32 lo, i32 hi) { return __nv_hiloint2double(hi, lo); }
NVVM(u16, mneme_f2h, "f2h.rn", float x) { return bits<u16>(static_cast<half>(x)); }
NVVM(u16, mneme_f2h_ftz, "f2h.rn.ftz", float x) { return bits<u16>(static_cast<half>(x)); }
