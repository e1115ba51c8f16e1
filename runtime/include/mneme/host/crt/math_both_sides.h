// SPDX-License-Identifier: Apache-2.0
/// Functions that CUDA sources may call on the host as well: min and max, and math functions the C library lacks.
#pragma once

#if defined(__CUDA__) && defined(__clang__)

#define MNEME_BOTH static inline __host__ __device__

#define MNEME_MIN_MAX(result, left, right)                                                            \
  MNEME_BOTH result min(left a, right b) { return (result)a < (result)b ? (result)a : (result)b; }    \
  MNEME_BOTH result max(left a, right b) { return (result)a > (result)b ? (result)a : (result)b; }
#define MNEME_MIN_MAX_MIXED(wide, narrow) \
  MNEME_MIN_MAX(wide, wide, wide)         \
  MNEME_MIN_MAX(wide, wide, narrow)       \
  MNEME_MIN_MAX(wide, narrow, wide)

// On the device clang has these two already.
static inline __host__ int min(int a, int b) { return a < b ? a : b; }
static inline __host__ int max(int a, int b) { return a > b ? a : b; }
MNEME_MIN_MAX_MIXED(unsigned int, int)
MNEME_MIN_MAX(long, long, long)
MNEME_MIN_MAX_MIXED(unsigned long, long)
MNEME_MIN_MAX(long long, long long, long long)
MNEME_MIN_MAX_MIXED(unsigned long long, long long)
MNEME_BOTH float min(float a, float b) { return fminf(a, b); }
MNEME_BOTH float max(float a, float b) { return fmaxf(a, b); }
MNEME_BOTH double min(double a, double b) { return fmin(a, b); }
MNEME_BOTH double max(double a, double b) { return fmax(a, b); }
MNEME_BOTH double min(float a, double b) { return fmin((double)a, b); }
MNEME_BOTH double max(float a, double b) { return fmax((double)a, b); }
MNEME_BOTH double min(double a, float b) { return fmin(a, (double)b); }
MNEME_BOTH double max(double a, float b) { return fmax(a, (double)b); }

static inline __host__ float rsqrtf(float a) { return 1.0f / sqrtf(a); }
static inline __host__ double rsqrt(double a) { return 1.0 / sqrt(a); }
static inline __host__ float rsqrt(float a) { return rsqrtf(a); }
static inline __host__ float rcbrtf(float a) { return 1.0f / cbrtf(a); }
static inline __host__ double rcbrt(double a) { return 1.0 / cbrt(a); }
static inline __host__ float rcbrt(float a) { return rcbrtf(a); }
static inline __host__ double sinpi(double a) { return sin(M_PI * remainder(a, 2.0)); }
static inline __host__ double cospi(double a) { return cos(M_PI * remainder(a, 2.0)); }
static inline __host__ float sinpif(float a) { return (float)sinpi((double)a); }
static inline __host__ float cospif(float a) { return (float)cospi((double)a); }
static inline __host__ float sinpi(float a) { return sinpif(a); }
static inline __host__ float cospi(float a) { return cospif(a); }
static inline __host__ double normcdf(double a) { return 0.5 * erfc(-a * M_SQRT1_2); }
static inline __host__ float normcdff(float a) { return (float)normcdf((double)a); }
static inline __host__ float fdividef(float a, float b) { return a / b; }
static inline __host__ double fdivide(double a, double b) { return a / b; }

#undef MNEME_MIN_MAX
#undef MNEME_MIN_MAX_MIXED
#undef MNEME_BOTH

#endif
