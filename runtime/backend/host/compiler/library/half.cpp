// SPDX-License-Identifier: Apache-2.0
/// Half precision and bfloat16: the assembly of CUDA's own headers, and the run-time functions code generation may call.
#include "library.h"

static half h(u16 x) { return bits<half>(x); }
static u16 u(half x) { return bits<u16>(x); }
static u16 bf(float x) {
  u32 raw = bits<u32>(x);
  if (x != x) return static_cast<u16>(0x7fff);
  return static_cast<u16>((raw + 0x7fff + (raw >> 16 & 1)) >> 16);
}
static float fromBf(u16 x) { return bits<float>(static_cast<u32>(x) << 16); }
template <typename Operation> static u32 both(u32 a, u32 b, Operation operation) {
  u16 lo = operation(static_cast<u16>(a), static_cast<u16>(b)), hi = operation(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16));
  return static_cast<u32>(hi) << 16 | lo;
}
static u16 add(u16 a, u16 b) { return u(h(a) + h(b)); }
static u16 sub(u16 a, u16 b) { return u(h(a) - h(b)); }
static u16 mul(u16 a, u16 b) { return u(h(a) * h(b)); }
static u16 fused(u16 a, u16 b, u16 c) { return u(static_cast<half>(static_cast<double>(h(a)) * static_cast<double>(h(b)) + static_cast<double>(h(c)))); }
static u16 least(u16 a, u16 b) { return u(static_cast<half>(__builtin_fminf(h(a), h(b)))); }
static u16 most(u16 a, u16 b) { return u(static_cast<half>(__builtin_fmaxf(h(a), h(b)))); }

PTX(u16, mneme_cvt_h_f, "cvt.rn.f16.f32", float x) { return u(static_cast<half>(x)); }
PTX(float, mneme_cvt_f_h, "cvt.f32.f16", u16 x) { return h(x); }
PTX(u16, mneme_cvt_h_d, "cvt.rn.f16.f64", double x) { return u(static_cast<half>(x)); }
PTX(double, mneme_cvt_d_h, "cvt.f64.f16", u16 x) { return h(x); }
PTX(u16, mneme_cvt_h_i, "cvt.rn.f16.s32", i32 x) { return u(static_cast<half>(x)); }
PTX(u16, mneme_cvt_h_u, "cvt.rn.f16.u32", u32 x) { return u(static_cast<half>(x)); }
PTX(u16, mneme_cvt_h_s, "cvt.rn.f16.s16", short x) { return u(static_cast<half>(x)); }
PTX(u16, mneme_cvt_h_us, "cvt.rn.f16.u16", u16 x) { return u(static_cast<half>(x)); }
PTX(u16, mneme_add_h, "add.f16", u16 a, u16 b) { return add(a, b); }
PTX(u16, mneme_add_rn_h, "add.rn.f16", u16 a, u16 b) { return add(a, b); }
PTX(u16, mneme_sub_h, "sub.f16", u16 a, u16 b) { return sub(a, b); }
PTX(u16, mneme_sub_rn_h, "sub.rn.f16", u16 a, u16 b) { return sub(a, b); }
PTX(u16, mneme_mul_h, "mul.f16", u16 a, u16 b) { return mul(a, b); }
PTX(u16, mneme_mul_rn_h, "mul.rn.f16", u16 a, u16 b) { return mul(a, b); }
PTX(u16, mneme_fma_h, "fma.rn.f16", u16 a, u16 b, u16 c) { return fused(a, b, c); }
PTX(u16, mneme_neg_h, "neg.f16", u16 a) { return static_cast<u16>(a ^ 0x8000); }
PTX(u16, mneme_abs_h, "abs.f16", u16 a) { return static_cast<u16>(a & 0x7fff); }
PTX(u16, mneme_min_h, "min.f16", u16 a, u16 b) { return least(a, b); }
PTX(u16, mneme_max_h, "max.f16", u16 a, u16 b) { return most(a, b); }
PTX(u32, mneme_add_h2, "add.f16x2", u32 a, u32 b) { return both(a, b, add); }
PTX(u32, mneme_add_rn_h2, "add.rn.f16x2", u32 a, u32 b) { return both(a, b, add); }
PTX(u32, mneme_sub_h2, "sub.f16x2", u32 a, u32 b) { return both(a, b, sub); }
PTX(u32, mneme_mul_h2, "mul.f16x2", u32 a, u32 b) { return both(a, b, mul); }
PTX(u32, mneme_mul_rn_h2, "mul.rn.f16x2", u32 a, u32 b) { return both(a, b, mul); }
PTX(u32, mneme_fma_h2, "fma.rn.f16x2", u32 a, u32 b, u32 c) {
  u16 lo = fused(static_cast<u16>(a), static_cast<u16>(b), static_cast<u16>(c));
  u16 hi = fused(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16), static_cast<u16>(c >> 16));
  return static_cast<u32>(hi) << 16 | lo;
}
PTX(u32, mneme_neg_h2, "neg.f16x2", u32 a) { return a ^ 0x80008000u; }
PTX(u32, mneme_abs_h2, "abs.f16x2", u32 a) { return a & 0x7fff7fffu; }
PTX(u32, mneme_min_h2, "min.f16x2", u32 a, u32 b) { return both(a, b, least); }
PTX(u32, mneme_max_h2, "max.f16x2", u32 a, u32 b) { return both(a, b, most); }
PTX(u16, mneme_cvt_bf_f, "cvt.rn.bf16.f32", float x) { return bf(x); }
PTX(float, mneme_cvt_f_bf, "cvt.f32.bf16", u16 x) { return fromBf(x); }
PTX(u16, mneme_mov_b16, "mov.b16", u16 x) { return x; }
PTX(u32, mneme_mov_b32, "mov.b32", u32 x) { return x; }
NVVM(half, mneme_fma_f16, "fma.rn.f16", half a, half b, half c) { return h(fused(u(a), u(b), u(c))); }
NVVM(half, mneme_fmin_f16, "fmin.f16", half a, half b) { return h(least(u(a), u(b))); }
NVVM(half, mneme_fmax_f16, "fmax.f16", half a, half b) { return h(most(u(a), u(b))); }
