// SPDX-License-Identifier: Apache-2.0
/// Single instructions of the GPU: approximations are computed exactly; caching hints do nothing; fences are fences.
#include "library.h"

#define BOTH(name, expression) \
  NVVM(float, mneme_##name, #name ".f", float x) { return expression; } \
  NVVM(float, mneme_##name##_ftz, #name ".ftz.f", float x) { return expression; }
BOTH(ceil, __builtin_ceilf(x)) BOTH(floor, __builtin_floorf(x)) BOTH(trunc, __builtin_truncf(x))
BOTH(round, __builtin_rintf(x)) BOTH(saturate, x > 0 ? (x < 1 ? x : 1) : 0)
NVVM(double, mneme_ceil_d, "ceil.d", double x) { return __builtin_ceil(x); }
NVVM(double, mneme_floor_d, "floor.d", double x) { return __builtin_floor(x); }
NVVM(double, mneme_trunc_d, "trunc.d", double x) { return __builtin_trunc(x); }
NVVM(double, mneme_round_d, "round.d", double x) { return __builtin_rint(x); }
NVVM(double, mneme_saturate_d, "saturate.d", double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
NVVM(float, mneme_fabs, "fabs.f32", float x) { return __builtin_fabsf(x); }
NVVM(double, mneme_fabs_d, "fabs.f64", double x) { return __builtin_fabs(x); }

#define APPROXIMATION(function, name, expression) \
  NVVM(float, mneme_##function, name, float x) { return expression; }
APPROXIMATION(sin_a, "sin.approx.f", sinf(x)) APPROXIMATION(sin_az, "sin.approx.ftz.f", sinf(x))
APPROXIMATION(cos_a, "cos.approx.f", cosf(x)) APPROXIMATION(cos_az, "cos.approx.ftz.f", cosf(x))
APPROXIMATION(ex2_a, "ex2.approx.f32", exp2f(x)) APPROXIMATION(ex2_az, "ex2.approx.ftz.f32", exp2f(x))
APPROXIMATION(ex2_b, "ex2.approx.f", exp2f(x)) APPROXIMATION(ex2_bz, "ex2.approx.ftz.f", exp2f(x))
APPROXIMATION(lg2_a, "lg2.approx.f", log2f(x)) APPROXIMATION(lg2_az, "lg2.approx.ftz.f", log2f(x))
APPROXIMATION(rcp_a, "rcp.approx.f", 1 / x) APPROXIMATION(rcp_az, "rcp.approx.ftz.f", 1 / x)
APPROXIMATION(sqrt_a, "sqrt.approx.f", __builtin_sqrtf(x)) APPROXIMATION(sqrt_az, "sqrt.approx.ftz.f", __builtin_sqrtf(x))
APPROXIMATION(sqrt_f, "sqrt.f", __builtin_sqrtf(x)) APPROXIMATION(sqrt_rnz, "sqrt.rn.ftz.f", __builtin_sqrtf(x))
APPROXIMATION(rsqrt_a, "rsqrt.approx.f", static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x))))
APPROXIMATION(rsqrt_az, "rsqrt.approx.ftz.f", static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x))))
APPROXIMATION(tanh_a, "tanh.approx.f", tanhf(x)) APPROXIMATION(tanh_a32, "tanh.approx.f32", tanhf(x))
NVVM(double, mneme_rsqrt_d, "rsqrt.approx.d", double x) { return 1 / __builtin_sqrt(x); }
NVVM(double, mneme_rcp_d, "rcp.approx.ftz.d", double x) { return 1 / x; }
NVVM(double, mneme_lg2_d, "lg2.approx.d", double x) { return log2(x); }
NVVM(float, mneme_div_a, "div.approx.f", float x, float y) { return x / y; }
NVVM(float, mneme_div_az, "div.approx.ftz.f", float x, float y) { return x / y; }
NVVM(float, mneme_div_full, "div.full", float x, float y) { return x / y; }
NVVM(float, mneme_div_fullz, "div.full.ftz", float x, float y) { return x / y; }
NVVM(float, mneme_div_rnz, "div.rn.ftz.f", float x, float y) { return x / y; }
NVVM(float, mneme_add_rnz, "add.rn.ftz.f", float x, float y) { return x + y; }
NVVM(float, mneme_mul_rnz, "mul.rn.ftz.f", float x, float y) { return x * y; }
NVVM(float, mneme_fma_rnz, "fma.rn.ftz.f", float x, float y, float z) { return __builtin_fmaf(x, y, z); }
NVVM(float, mneme_rcp_rnz, "rcp.rn.ftz.f", float x) { return 1 / x; }

NVVM(float, mneme_fmin, "fmin.f", float x, float y) { return __builtin_fminf(x, y); }
NVVM(float, mneme_fmax, "fmax.f", float x, float y) { return __builtin_fmaxf(x, y); }
NVVM(float, mneme_fminz, "fmin.ftz.f", float x, float y) { return __builtin_fminf(x, y); }
NVVM(float, mneme_fmaxz, "fmax.ftz.f", float x, float y) { return __builtin_fmaxf(x, y); }
NVVM(double, mneme_fmin_d, "fmin.d", double x, double y) { return __builtin_fmin(x, y); }
NVVM(double, mneme_fmax_d, "fmax.d", double x, double y) { return __builtin_fmax(x, y); }
NVVM(float, mneme_fmin_nan, "fmin.nan.f", float x, float y) { return x != x || y != y ? __builtin_nanf("") : __builtin_fminf(x, y); }
NVVM(float, mneme_fmax_nan, "fmax.nan.f", float x, float y) { return x != x || y != y ? __builtin_nanf("") : __builtin_fmaxf(x, y); }

NVVM(void, mneme_membar_cta, "membar.cta", ) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
NVVM(void, mneme_membar_gl, "membar.gl", ) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
NVVM(void, mneme_membar_sys, "membar.sys", ) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
NVVM(void, mneme_fence_cluster, "fence.sc.cluster", ) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
NVVM(void, mneme_nanosleep, "nanosleep", u32) {}
NVVM(u32, mneme_clock, "read.ptx.sreg.clock", ) { return static_cast<u32>(__builtin_readcyclecounter()); }
NVVM(u64, mneme_clock64, "read.ptx.sreg.clock64", ) { return __builtin_readcyclecounter(); }
NVVM(u32, mneme_pm_smem, "read.ptx.sreg.total_smem_size", ) { return 0; }
NVVM(void, mneme_prefetch1, "prefetch.L1", const void*) {}
NVVM(void, mneme_prefetch2, "prefetch.L2", const void*) {}

PTX(float, mneme_ptx_sin, "sin.approx.f32", float x) { return sinf(x); }
PTX(float, mneme_ptx_cos, "cos.approx.f32", float x) { return cosf(x); }
PTX(float, mneme_ptx_ex2, "ex2.approx.f32", float x) { return exp2f(x); }
PTX(float, mneme_ptx_ex2z, "ex2.approx.ftz.f32", float x) { return exp2f(x); }
PTX(float, mneme_ptx_lg2, "lg2.approx.f32", float x) { return log2f(x); }
PTX(float, mneme_ptx_rcp, "rcp.approx.f32", float x) { return 1 / x; }
PTX(float, mneme_ptx_rcpz, "rcp.approx.ftz.f32", float x) { return 1 / x; }
PTX(float, mneme_ptx_rsqrt, "rsqrt.approx.f32", float x) { return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x))); }
PTX(float, mneme_ptx_sqrt, "sqrt.approx.f32", float x) { return __builtin_sqrtf(x); }
PTX(float, mneme_ptx_tanh, "tanh.approx.f32", float x) { return tanhf(x); }
