// SPDX-License-Identifier: Apache-2.0
/// What the device library's files share. They are compiled to bitcode and linked into kernels; only libm is called.
#pragma once

using i32 = int;
using u32 = unsigned;
using i64 = long long;
using u64 = unsigned long long;
using u16 = unsigned short;
using half = _Float16;

extern "C" {
double acos(double), acosh(double), asin(double), asinh(double), atan(double), atan2(double, double), atanh(double),
    cbrt(double), cos(double), cosh(double), erf(double), erfc(double), exp(double), exp2(double), expm1(double),
    fdim(double, double), fmod(double, double), frexp(double, int*), hypot(double, double), j0(double), j1(double),
    jn(int, double), ldexp(double, int), lgamma(double), log(double), log10(double), log1p(double), log2(double),
    logb(double), modf(double, double*), nextafter(double, double), pow(double, double), remainder(double, double),
    remquo(double, double, int*), sin(double), sinh(double), tan(double), tanh(double), tgamma(double), y0(double),
    y1(double), yn(int, double), fma(double, double, double);
float acosf(float), acoshf(float), asinf(float), asinhf(float), atanf(float), atan2f(float, float), atanhf(float),
    cbrtf(float), cosf(float), coshf(float), erff(float), erfcf(float), expf(float), exp2f(float), expm1f(float),
    fdimf(float, float), fmodf(float, float), frexpf(float, int*), hypotf(float, float), j0f(float), j1f(float),
    jnf(int, float), ldexpf(float, int), lgammaf(float), logf(float), log10f(float), log1pf(float), log2f(float),
    logbf(float), modff(float, float*), nextafterf(float, float), powf(float, float), remainderf(float, float),
    remquof(float, float, int*), sinf(float), sinhf(float), tanf(float), tanhf(float), tgammaf(float), y0f(float),
    y1f(float), ynf(int, float), fmaf(float, float, float);
int ilogb(double), ilogbf(float), fesetround(int), fegetround(void);
}

#define LIBDEVICE extern "C" __attribute__((visibility("hidden")))
/// A function for the instruction llvm.nvvm.NAME.
#define NVVM(result, function, name, ...) \
  extern "C" result function(__VA_ARGS__) __asm__("mneme.nvvm." name); \
  extern "C" result function(__VA_ARGS__)
/// A function for one line of inline assembly with this mnemonic.
#define PTX(result, function, name, ...) \
  extern "C" result function(__VA_ARGS__) __asm__("mneme.ptx." name); \
  extern "C" result function(__VA_ARGS__)

template <typename To, typename From>
inline To bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}
