// SPDX-License-Identifier: Apache-2.0
/// libdevice's mathematics by name: libm where it has the function, else from functions it has.
#include "library.h"

#define SAME1(name) \
  LIBDEVICE double __nv_##name(double x) { return name(x); } \
  LIBDEVICE float __nv_##name##f(float x) { return name##f(x); }
#define SAME2(name) \
  LIBDEVICE double __nv_##name(double x, double y) { return name(x, y); } \
  LIBDEVICE float __nv_##name##f(float x, float y) { return name##f(x, y); }
#define BUILTIN1(name, builtin) \
  LIBDEVICE double __nv_##name(double x) { return __builtin_##builtin(x); } \
  LIBDEVICE float __nv_##name##f(float x) { return __builtin_##builtin##f(x); }

SAME1(acos) SAME1(acosh) SAME1(asin) SAME1(asinh) SAME1(atan) SAME1(atanh) SAME1(cbrt) SAME1(cos) SAME1(cosh) SAME1(erf)
SAME1(erfc) SAME1(exp) SAME1(exp2) SAME1(expm1) SAME1(j0) SAME1(j1) SAME1(lgamma) SAME1(log) SAME1(log10) SAME1(log1p)
SAME1(log2) SAME1(logb) SAME1(sin) SAME1(sinh) SAME1(tan) SAME1(tanh) SAME1(tgamma) SAME1(y0) SAME1(y1)
SAME2(atan2) SAME2(fdim) SAME2(fmod) SAME2(hypot) SAME2(nextafter) SAME2(pow) SAME2(remainder)
BUILTIN1(ceil, ceil) BUILTIN1(fabs, fabs) BUILTIN1(floor, floor) BUILTIN1(trunc, trunc) BUILTIN1(rint, rint)
BUILTIN1(nearbyint, nearbyint) BUILTIN1(round, round) BUILTIN1(sqrt, sqrt)

LIBDEVICE double __nv_copysign(double x, double y) { return __builtin_copysign(x, y); }
LIBDEVICE float __nv_copysignf(float x, float y) { return __builtin_copysignf(x, y); }
LIBDEVICE double __nv_fmax(double x, double y) { return __builtin_fmax(x, y); }
LIBDEVICE float __nv_fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
LIBDEVICE double __nv_fmin(double x, double y) { return __builtin_fmin(x, y); }
LIBDEVICE float __nv_fminf(float x, float y) { return __builtin_fminf(x, y); }
LIBDEVICE double __nv_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
LIBDEVICE float __nv_fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

LIBDEVICE double __nv_exp10(double x) { return pow(10.0, x); }
LIBDEVICE float __nv_exp10f(float x) { return static_cast<float>(pow(10.0, x)); }
LIBDEVICE double __nv_frexp(double x, int* e) { return frexp(x, e); }
LIBDEVICE float __nv_frexpf(float x, int* e) { return frexpf(x, e); }
LIBDEVICE double __nv_ldexp(double x, int e) { return ldexp(x, e); }
LIBDEVICE float __nv_ldexpf(float x, int e) { return ldexpf(x, e); }
LIBDEVICE double __nv_scalbn(double x, int e) { return ldexp(x, e); }
LIBDEVICE float __nv_scalbnf(float x, int e) { return ldexpf(x, e); }
LIBDEVICE double __nv_modf(double x, double* whole) { return modf(x, whole); }
LIBDEVICE float __nv_modff(float x, float* whole) { return modff(x, whole); }
LIBDEVICE double __nv_remquo(double x, double y, int* q) { return remquo(x, y, q); }
LIBDEVICE float __nv_remquof(float x, float y, int* q) { return remquof(x, y, q); }
LIBDEVICE double __nv_jn(int n, double x) { return jn(n, x); }
LIBDEVICE float __nv_jnf(int n, float x) { return jnf(n, x); }
LIBDEVICE double __nv_yn(int n, double x) { return yn(n, x); }
LIBDEVICE float __nv_ynf(int n, float x) { return ynf(n, x); }
LIBDEVICE int __nv_ilogb(double x) { return ilogb(x); }
LIBDEVICE int __nv_ilogbf(float x) { return ilogbf(x); }

static double power(double base, int exponent) {
  u64 left = exponent < 0 ? -static_cast<u64>(exponent) : static_cast<u64>(exponent);
  double result = 1;
  for (; left; left >>= 1, base *= base)
    if (left & 1) result *= base;
  return exponent < 0 ? 1 / result : result;
}
LIBDEVICE double __nv_powi(double x, int e) { return power(x, e); }
LIBDEVICE float __nv_powif(float x, int e) { return static_cast<float>(power(x, e)); }

LIBDEVICE void __nv_sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
LIBDEVICE void __nv_sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }

/// sin(pi x) exactly reduced: whole and half turns give exact zeros and ones.
static double sinOfPi(double x) {
  if (!(__builtin_fabs(x) < 1e300)) return x - x;
  double whole = __builtin_rint(2 * x);
  double angle = (x - whole * 0.5) * 3.14159265358979323846;
  double quarter = whole - 4 * __builtin_floor(whole * 0.25);
  if (x == 0 || (angle == 0 && (quarter == 0 || quarter == 2))) return __builtin_copysign(0.0, x);
  double value = quarter == 0 ? sin(angle) : quarter == 1 ? cos(angle) : quarter == 2 ? -sin(angle) : -cos(angle);
  return value;
}
static double cosOfPi(double x) {
  if (!(__builtin_fabs(x) < 1e300)) return x - x;
  double whole = __builtin_rint(2 * x);
  double angle = (x - whole * 0.5) * 3.14159265358979323846;
  double quarter = whole - 4 * __builtin_floor(whole * 0.25);
  if (angle == 0 && (quarter == 1 || quarter == 3)) return 0.0;
  return quarter == 0 ? cos(angle) : quarter == 1 ? -sin(angle) : quarter == 2 ? -cos(angle) : sin(angle);
}
LIBDEVICE double __nv_sinpi(double x) { return sinOfPi(x); }
LIBDEVICE float __nv_sinpif(float x) { return static_cast<float>(sinOfPi(x)); }
LIBDEVICE double __nv_cospi(double x) { return cosOfPi(x); }
LIBDEVICE float __nv_cospif(float x) { return static_cast<float>(cosOfPi(x)); }
LIBDEVICE void __nv_sincospi(double x, double* s, double* c) { *s = sinOfPi(x), *c = cosOfPi(x); }
LIBDEVICE void __nv_sincospif(float x, float* s, float* c) {
  *s = static_cast<float>(sinOfPi(x)), *c = static_cast<float>(cosOfPi(x));
}

LIBDEVICE double __nv_rsqrt(double x) { return 1 / __builtin_sqrt(x); }
LIBDEVICE float __nv_rsqrtf(float x) { return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x))); }
LIBDEVICE double __nv_rcbrt(double x) { return 1 / cbrt(x); }
LIBDEVICE float __nv_rcbrtf(float x) { return static_cast<float>(1 / cbrt(x)); }
LIBDEVICE double __nv_rhypot(double x, double y) { return 1 / hypot(x, y); }
LIBDEVICE float __nv_rhypotf(float x, float y) { return static_cast<float>(1 / hypot(x, y)); }

static double length(const double* values, int count) {
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    double size = __builtin_fabs(values[i]);
    if (__builtin_isinf(size)) return size;
    if (!(size <= largest)) largest = size;
  }
  if (largest == 0 || largest != largest) return largest;
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += (values[i] / largest) * (values[i] / largest);
  return largest * __builtin_sqrt(sum);
}
LIBDEVICE double __nv_norm3d(double a, double b, double c) { double v[] = {a, b, c}; return length(v, 3); }
LIBDEVICE float __nv_norm3df(float a, float b, float c) { double v[] = {a, b, c}; return static_cast<float>(length(v, 3)); }
LIBDEVICE double __nv_norm4d(double a, double b, double c, double d) { double v[] = {a, b, c, d}; return length(v, 4); }
LIBDEVICE float __nv_norm4df(float a, float b, float c, float d) { double v[] = {a, b, c, d}; return static_cast<float>(length(v, 4)); }
LIBDEVICE double __nv_rnorm3d(double a, double b, double c) { return 1 / __nv_norm3d(a, b, c); }
LIBDEVICE float __nv_rnorm3df(float a, float b, float c) { return static_cast<float>(1 / __nv_norm3d(a, b, c)); }
LIBDEVICE double __nv_rnorm4d(double a, double b, double c, double d) { return 1 / __nv_norm4d(a, b, c, d); }
LIBDEVICE float __nv_rnorm4df(float a, float b, float c, float d) { return static_cast<float>(1 / __nv_norm4d(a, b, c, d)); }
LIBDEVICE double __nv_norm(int count, const double* values) { return length(values, count); }
LIBDEVICE float __nv_normf(int count, const float* values) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * values[i];
  return static_cast<float>(__builtin_sqrt(sum));
}
LIBDEVICE double __nv_rnorm(int count, const double* values) { return 1 / length(values, count); }
LIBDEVICE float __nv_rnormf(int count, const float* values) { return 1 / __nv_normf(count, values); }

/// exp(x*x) * erfc(x): by the continued fraction where the product would lose or overflow.
static double scaledErfc(double x) {
  if (x < 25) return exp(x * x) * erfc(x);
  double fraction = x;
  for (int k = 40; k > 0; --k) fraction = x + (k * 0.5) / fraction;
  return 0.56418958354775628695 / fraction;
}
LIBDEVICE double __nv_erfcx(double x) { return scaledErfc(x); }
LIBDEVICE float __nv_erfcxf(float x) { return static_cast<float>(scaledErfc(x)); }
LIBDEVICE double __nv_normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
LIBDEVICE float __nv_normcdff(float x) { return static_cast<float>(__nv_normcdf(x)); }

/// Quantile of the normal distribution for p <= 1/2 (Acklam's start, Halley's steps).
static double lowerQuantile(double p) {
  if (p == 0) return -__builtin_inf();
  double x;
  if (p < 0.02425) {
    double q = __builtin_sqrt(-2 * log(p));
    x = (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) * q - 2.549732539343734e+00) * q +
          4.374664141464968e+00) * q + 2.938163982698783e+00) /
        ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q + 3.754408661907416e+00) * q + 1);
  } else {
    double q = p - 0.5, r = q * q;
    x = (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r + 1.383577518672690e+02) * r -
          3.066479806614716e+01) * r + 2.506628277459239e+00) * q /
        (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r + 6.680131188771972e+01) * r -
          1.328068155288572e+01) * r + 1);
  }
  for (int i = 0; i < 2; ++i) {
    double error = (0.5 * erfc(-x * 0.70710678118654752440) - p) / p;
    double u = error * p * 2.50662827463100050242 * exp(x * x / 2);
    if (u == u) x -= u / (1 + x * u / 2);
  }
  return x;
}
LIBDEVICE double __nv_normcdfinv(double p) {
  if (!(p >= 0 && p <= 1)) return __builtin_nan("");
  return p <= 0.5 ? lowerQuantile(p) : -lowerQuantile(1 - p);
}
LIBDEVICE float __nv_normcdfinvf(float p) { return static_cast<float>(__nv_normcdfinv(p)); }
LIBDEVICE double __nv_erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return __builtin_nan("");
  double q = y <= 1 ? -lowerQuantile(y / 2) : lowerQuantile(1 - y / 2);
  return q * 0.70710678118654752440;
}
LIBDEVICE float __nv_erfcinvf(float y) { return static_cast<float>(__nv_erfcinv(y)); }
LIBDEVICE double __nv_erfinv(double y) {
  if (!(y >= -1 && y <= 1)) return __builtin_nan("");
  if (__builtin_fabs(y) > 0.5) return y > 0 ? __nv_erfcinv(1 - y) : -__nv_erfcinv(1 + y);
  double x = 0.88622692545275801 * y;
  for (int i = 0; i < 40; ++i) {
    double step = (erf(x) - y) * 0.88622692545275801 * exp(x * x);
    x -= step;
    if (__builtin_fabs(step) <= 1e-17 * __builtin_fabs(x)) break;
  }
  return x;
}
LIBDEVICE float __nv_erfinvf(float y) { return static_cast<float>(__nv_erfinv(y)); }

/// Modified Bessel functions: power series, for large arguments the asymptotic one.
static double bessel(int order, double x) {
  double size = __builtin_fabs(x);
  double result;
  if (size < 30) {
    double quarter = x * x / 4, term = order ? size / 2 : 1;
    result = term;
    for (int k = 1; k < 200 && term > result * 1e-18; ++k) result += term *= quarter / (k * static_cast<double>(k + order));
  } else {
    double mu = 4.0 * order * order, term = 1, sum = 1;
    for (int k = 1; k < 25; ++k) {
      double next = -term * (mu - (2 * k - 1.0) * (2 * k - 1)) / (k * 8 * size);
      if (__builtin_fabs(next) > __builtin_fabs(term)) break;
      sum += term = next;
    }
    double half = exp(size / 2);
    result = half * (sum / __builtin_sqrt(6.28318530717958647693 * size)) * half;
  }
  return order && x < 0 ? -result : result;
}
LIBDEVICE double __nv_cyl_bessel_i0(double x) { return bessel(0, x); }
LIBDEVICE float __nv_cyl_bessel_i0f(float x) { return static_cast<float>(bessel(0, x)); }
LIBDEVICE double __nv_cyl_bessel_i1(double x) { return bessel(1, x); }
LIBDEVICE float __nv_cyl_bessel_i1f(float x) { return static_cast<float>(bessel(1, x)); }

LIBDEVICE float __nv_fast_sinf(float x) { return sinf(x); }
LIBDEVICE float __nv_fast_cosf(float x) { return cosf(x); }
LIBDEVICE float __nv_fast_tanf(float x) { return tanf(x); }
LIBDEVICE float __nv_fast_tanhf(float x) { return tanhf(x); }
LIBDEVICE float __nv_fast_expf(float x) { return expf(x); }
LIBDEVICE float __nv_fast_exp10f(float x) { return __nv_exp10f(x); }
LIBDEVICE float __nv_fast_logf(float x) { return logf(x); }
LIBDEVICE float __nv_fast_log2f(float x) { return log2f(x); }
LIBDEVICE float __nv_fast_log10f(float x) { return log10f(x); }
LIBDEVICE float __nv_fast_powf(float x, float y) { return powf(x, y); }
LIBDEVICE float __nv_fast_fdividef(float x, float y) { return x / y; }
LIBDEVICE void __nv_fast_sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
LIBDEVICE float __nv_saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

LIBDEVICE int __nv_finitef(float x) { return __builtin_isfinite(x); }
LIBDEVICE int __nv_isfinited(double x) { return __builtin_isfinite(x); }
LIBDEVICE int __nv_isinff(float x) { return __builtin_isinf(x); }
LIBDEVICE int __nv_isinfd(double x) { return __builtin_isinf(x); }
LIBDEVICE int __nv_isnanf(float x) { return __builtin_isnan(x); }
LIBDEVICE int __nv_isnand(double x) { return __builtin_isnan(x); }
LIBDEVICE int __nv_signbitf(float x) { return bits<u32>(x) >> 31; }
LIBDEVICE int __nv_signbitd(double x) { return static_cast<int>(bits<u64>(x) >> 63); }
LIBDEVICE double __nv_nan(const signed char*) { return __builtin_nan(""); }
LIBDEVICE float __nv_nanf(const signed char*) { return __builtin_nanf(""); }
