// SPDX-License-Identifier: Apache-2.0
/// Integer functions and instructions.
#include "library.h"

static u32 reversed(u32 x) { return __builtin_bitreverse32(x); }
LIBDEVICE i32 __nv_abs(i32 x) { return x < 0 ? static_cast<i32>(-static_cast<u32>(x)) : x; }
LIBDEVICE i64 __nv_llabs(i64 x) { return x < 0 ? static_cast<i64>(-static_cast<u64>(x)) : x; }
LIBDEVICE i32 __nv_brev(i32 x) { return static_cast<i32>(reversed(static_cast<u32>(x))); }
LIBDEVICE i64 __nv_brevll(i64 x) { return static_cast<i64>(__builtin_bitreverse64(static_cast<u64>(x))); }
LIBDEVICE i32 __nv_clz(i32 x) { return x ? __builtin_clz(static_cast<u32>(x)) : 32; }
LIBDEVICE i32 __nv_clzll(i64 x) { return x ? __builtin_clzll(static_cast<u64>(x)) : 64; }
LIBDEVICE i32 __nv_ffs(i32 x) { return x ? __builtin_ctz(static_cast<u32>(x)) + 1 : 0; }
LIBDEVICE i32 __nv_ffsll(i64 x) { return x ? __builtin_ctzll(static_cast<u64>(x)) + 1 : 0; }
LIBDEVICE i32 __nv_popc(i32 x) { return __builtin_popcount(static_cast<u32>(x)); }
LIBDEVICE i32 __nv_popcll(i64 x) { return __builtin_popcountll(static_cast<u64>(x)); }
LIBDEVICE i32 __nv_min(i32 a, i32 b) { return a < b ? a : b; }
LIBDEVICE i32 __nv_max(i32 a, i32 b) { return a > b ? a : b; }
LIBDEVICE u32 __nv_umin(u32 a, u32 b) { return a < b ? a : b; }
LIBDEVICE u32 __nv_umax(u32 a, u32 b) { return a > b ? a : b; }
LIBDEVICE i64 __nv_llmin(i64 a, i64 b) { return a < b ? a : b; }
LIBDEVICE i64 __nv_llmax(i64 a, i64 b) { return a > b ? a : b; }
LIBDEVICE u64 __nv_ullmin(u64 a, u64 b) { return a < b ? a : b; }
LIBDEVICE u64 __nv_ullmax(u64 a, u64 b) { return a > b ? a : b; }
static i32 signed24(i32 x) { return static_cast<i32>(static_cast<u32>(x) << 8) >> 8; }
LIBDEVICE i32 __nv_mul24(i32 a, i32 b) { return static_cast<i32>(static_cast<i64>(signed24(a)) * signed24(b)); }
LIBDEVICE u32 __nv_umul24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
LIBDEVICE i32 __nv_mulhi(i32 a, i32 b) { return static_cast<i32>(static_cast<i64>(a) * b >> 32); }
LIBDEVICE u32 __nv_umulhi(u32 a, u32 b) { return static_cast<u32>(static_cast<u64>(a) * b >> 32); }
LIBDEVICE i64 __nv_mul64hi(i64 a, i64 b) { return static_cast<i64>(static_cast<__int128>(a) * b >> 64); }
LIBDEVICE u64 __nv_umul64hi(u64 a, u64 b) { return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64); }
LIBDEVICE i32 __nv_hadd(i32 a, i32 b) { return static_cast<i32>((static_cast<i64>(a) + b) >> 1); }
LIBDEVICE i32 __nv_rhadd(i32 a, i32 b) { return static_cast<i32>((static_cast<i64>(a) + b + 1) >> 1); }
LIBDEVICE u32 __nv_uhadd(u32 a, u32 b) { return static_cast<u32>((static_cast<u64>(a) + b) >> 1); }
LIBDEVICE u32 __nv_urhadd(u32 a, u32 b) { return static_cast<u32>((static_cast<u64>(a) + b + 1) >> 1); }
LIBDEVICE u32 __nv_sad(i32 a, i32 b, u32 c) { return (a > b ? static_cast<u32>(a) - static_cast<u32>(b) : static_cast<u32>(b) - static_cast<u32>(a)) + c; }
LIBDEVICE u32 __nv_usad(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }

/// PTX prmt in its default mode.
static u32 permute(u32 a, u32 b, u32 selector) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    u32 pick = selector >> (4 * i) & 0xf;
    u32 byte = static_cast<u32>(bytes >> (8 * (pick & 7))) & 0xff;
    if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
LIBDEVICE i32 __nv_byte_perm(i32 a, i32 b, i32 s) {
  return static_cast<i32>(permute(static_cast<u32>(a), static_cast<u32>(b), static_cast<u32>(s) & 0x7777));
}

NVVM(i32, mneme_mulhi_i, "mulhi.i", i32 a, i32 b) { return __nv_mulhi(a, b); }
NVVM(u32, mneme_mulhi_ui, "mulhi.ui", u32 a, u32 b) { return __nv_umulhi(a, b); }
NVVM(i64, mneme_mulhi_ll, "mulhi.ll", i64 a, i64 b) { return __nv_mul64hi(a, b); }
NVVM(u64, mneme_mulhi_ull, "mulhi.ull", u64 a, u64 b) { return __nv_umul64hi(a, b); }
NVVM(short, mneme_mulhi_s, "mulhi.s", short a, short b) { return static_cast<short>(a * b >> 16); }
NVVM(u16, mneme_mulhi_us, "mulhi.us", u16 a, u16 b) { return static_cast<u16>(static_cast<u32>(a) * b >> 16); }
NVVM(i32, mneme_mul24, "mul24.i", i32 a, i32 b) { return __nv_mul24(a, b); }
NVVM(u32, mneme_umul24, "mul24.ui", u32 a, u32 b) { return __nv_umul24(a, b); }
NVVM(i32, mneme_sad_i, "sad.i", i32 a, i32 b, i32 c) { return static_cast<i32>(__nv_sad(a, b, static_cast<u32>(c))); }
NVVM(u32, mneme_sad_ui, "sad.ui", u32 a, u32 b, u32 c) { return __nv_usad(a, b, c); }
NVVM(i64, mneme_sad_ll, "sad.ll", i64 a, i64 b, i64 c) { return (a > b ? a - b : b - a) + c; }
NVVM(u64, mneme_sad_ull, "sad.ull", u64 a, u64 b, u64 c) { return (a > b ? a - b : b - a) + c; }
NVVM(u32, mneme_prmt, "prmt", u32 a, u32 b, u32 s) { return permute(a, b, s); }
PTX(u32, mneme_ptx_prmt, "prmt.b32", u32 a, u32 b, u32 s) { return permute(a, b, s); }

/// Position of the highest bit that is not a copy of the sign; all ones if there is none.
static u32 highest(u32 x) { return x ? 31 - __builtin_clz(x) : ~0u; }
NVVM(u32, mneme_flo_u, "flo.u", u32 x, bool shift) { return x == 0 ? ~0u : shift ? 31 - highest(x) : highest(x); }
NVVM(i32, mneme_flo_s, "flo.s", i32 x, bool shift) {
  u32 y = static_cast<u32>(x < 0 ? ~x : x);
  return static_cast<i32>(y == 0 ? ~0u : shift ? 31 - highest(y) : highest(y));
}
PTX(u64, mneme_mul_wide_u32, "mul.wide.u32", u32 a, u32 b) { return static_cast<u64>(a) * b; }
PTX(i64, mneme_mul_wide_s32, "mul.wide.s32", i32 a, i32 b) { return static_cast<i64>(a) * b; }
PTX(u32, mneme_sad_u32, "sad.u32", u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }
PTX(u32, mneme_sad_s32, "sad.s32", i32 a, i32 b, u32 c) {
  return (a > b ? static_cast<u32>(a) - static_cast<u32>(b) : static_cast<u32>(b) - static_cast<u32>(a)) + c;
}
PTX(u32, mneme_bfind_u, "bfind.u32", u32 x) { return highest(x); }
PTX(u32, mneme_bfind_s, "bfind.s32", i32 x) { return highest(static_cast<u32>(x < 0 ? ~x : x)); }
PTX(u32, mneme_bfind_u64, "bfind.u64", u64 x) { return x ? 63 - __builtin_clzll(x) : ~0u; }

static u64 field(u64 x, u32 position, u32 length) {
  position &= 0xff, length &= 0xff;
  if (position >= 64 || length == 0) return 0;
  return length >= 64 ? x >> position : x >> position & ((1ull << length) - 1);
}
/// bfe: bits beyond the register are copies of the sign bit of the field's last bit inside it.
static i64 signedField(i64 x, u32 width, u32 position, u32 length) {
  position &= 0xff, length &= 0xff;
  if (length == 0) return 0;
  u32 last = position + length - 1 < width - 1 ? position + length - 1 : width - 1;
  u64 sign = static_cast<u64>(x) >> last & 1;
  u64 result = sign ? ~0ull : 0;
  for (u32 i = 0; i < length && position + i < width && i < 64; ++i) {
    u64 bit = static_cast<u64>(x) >> (position + i) & 1;
    result = (result & ~(1ull << i)) | bit << i;
  }
  return static_cast<i64>(result);
}
PTX(u32, mneme_bfe_u32, "bfe.u32", u32 x, u32 p, u32 n) { return static_cast<u32>(field(x, p, n)); }
PTX(u64, mneme_bfe_u64, "bfe.u64", u64 x, u32 p, u32 n) { return field(x, p, n); }
PTX(i32, mneme_bfe_s32, "bfe.s32", i32 x, u32 p, u32 n) { return static_cast<i32>(signedField(x, 32, p, n)); }
PTX(i64, mneme_bfe_s64, "bfe.s64", i64 x, u32 p, u32 n) { return signedField(x, 64, p, n); }
PTX(u32, mneme_bfi_b32, "bfi.b32", u32 a, u32 b, u32 p, u32 n) {
  p &= 0xff, n &= 0xff;
  if (p >= 32 || n == 0) return b;
  u32 mask = static_cast<u32>((n >= 32 ? 0xffffffffull : (1ull << n) - 1) << p);
  return (b & ~mask) | (a << p & mask);
}
static u32 maskFrom(u32 position, u32 length) {
  if (position >= 32 || length == 0) return 0;
  return static_cast<u32>((length >= 32 ? 0xffffffffull : (1ull << length) - 1) << position);
}
PTX(u32, mneme_bmsk_ptx, "bmsk.clamp.b32", u32 p, u32 n) { return maskFrom(p, n); }
NVVM(u32, mneme_bmsk, "bmsk.clamp", u32 p, u32 n) { return maskFrom(p, n); }
NVVM(u32, mneme_bmsk_wrap, "bmsk.wrap", u32 p, u32 n) { return maskFrom(p & 31, n & 31); }
PTX(u32, mneme_shr_b32, "shr.b32", u32 x, u32 n) { return n > 31 ? 0 : x >> n; }
PTX(u32, mneme_shr_u32, "shr.u32", u32 x, u32 n) { return n > 31 ? 0 : x >> n; }
PTX(i32, mneme_shr_s32, "shr.s32", i32 x, u32 n) { return x >> (n > 31 ? 31 : n); }
PTX(u32, mneme_shl_b32, "shl.b32", u32 x, u32 n) { return n > 31 ? 0 : x << n; }
PTX(u64, mneme_shl_b64, "shl.b64", u64 x, u32 n) { return n > 63 ? 0 : x << n; }
PTX(u64, mneme_shr_b64, "shr.b64", u64 x, u32 n) { return n > 63 ? 0 : x >> n; }
PTX(u32, mneme_lop_and, "and.b32", u32 a, u32 b) { return a & b; }
PTX(u32, mneme_popc_b32, "popc.b32", u32 x) { return static_cast<u32>(__builtin_popcount(x)); }
PTX(u32, mneme_clz_b32, "clz.b32", u32 x) { return x ? static_cast<u32>(__builtin_clz(x)) : 32; }
PTX(u32, mneme_brev_b32, "brev.b32", u32 x) { return reversed(x); }
PTX(u32, mneme_mul_hi, "mul.hi.u32", u32 a, u32 b) { return __nv_umulhi(a, b); }
PTX(u32, mneme_mad_lo, "mad.lo.u32", u32 a, u32 b, u32 c) { return a * b + c; }
static u32 funnel(u32 lo, u32 hi, u32 n, bool left) {
  u64 pair = static_cast<u64>(hi) << 32 | lo;
  return static_cast<u32>(left ? pair << n >> 32 : pair >> n);
}
NVVM(u32, mneme_fshl, "fshl.clamp", u32 lo, u32 hi, u32 n) { return n >= 32 ? lo : funnel(lo, hi, n, true); }
NVVM(u32, mneme_fshr, "fshr.clamp", u32 lo, u32 hi, u32 n) { return n >= 32 ? hi : funnel(lo, hi, n, false); }
PTX(u32, mneme_shf_l_wrap, "shf.l.wrap.b32", u32 lo, u32 hi, u32 n) { return funnel(lo, hi, n & 31, true); }
PTX(u32, mneme_shf_r_wrap, "shf.r.wrap.b32", u32 lo, u32 hi, u32 n) { return funnel(lo, hi, n & 31, false); }
PTX(u32, mneme_shf_l_clamp, "shf.l.clamp.b32", u32 lo, u32 hi, u32 n) { return n >= 32 ? lo : funnel(lo, hi, n, true); }
PTX(u32, mneme_shf_r_clamp, "shf.r.clamp.b32", u32 lo, u32 hi, u32 n) { return n >= 32 ? hi : funnel(lo, hi, n, false); }

/// The offset-th set (or, going down, preceding) bit from base.
NVVM(u32, mneme_fns, "fns", u32 mask, u32 base, i32 offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return mask >> base & 1 ? base : ~0u;
  i32 position = static_cast<i32>(base), step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
  for (; position >= 0 && position < 32; position += step)
    if (mask >> position & 1 && --left == 0) return static_cast<u32>(position);
  return ~0u;
}

template <bool SignedA, bool SignedB>
static i32 dot4(i32 a, i32 b, i32 c) {
  u32 sum = static_cast<u32>(c);
  for (int i = 0; i < 4; ++i) {
    i32 x = SignedA ? static_cast<signed char>(a >> 8 * i) : (a >> 8 * i) & 0xff;
    i32 y = SignedB ? static_cast<signed char>(b >> 8 * i) : (b >> 8 * i) & 0xff;
    sum += static_cast<u32>(x * y);
  }
  return static_cast<i32>(sum);
}
template <bool SignedA, bool SignedB>
static i32 dot2(i32 a, i32 b, bool high, i32 c) {
  u32 sum = static_cast<u32>(c);
  for (int i = 0; i < 2; ++i) {
    i32 x = SignedA ? static_cast<short>(a >> 16 * i) : (a >> 16 * i) & 0xffff;
    i32 shift = 8 * i + (high ? 16 : 0);
    i32 y = SignedB ? static_cast<signed char>(b >> shift) : (b >> shift) & 0xff;
    sum += static_cast<u32>(x * y);
  }
  return static_cast<i32>(sum);
}
NVVM(i32, mneme_dp4a_ss, "idp4a.s.s", i32 a, i32 b, i32 c) { return dot4<true, true>(a, b, c); }
NVVM(i32, mneme_dp4a_su, "idp4a.s.u", i32 a, i32 b, i32 c) { return dot4<true, false>(a, b, c); }
NVVM(i32, mneme_dp4a_us, "idp4a.u.s", i32 a, i32 b, i32 c) { return dot4<false, true>(a, b, c); }
NVVM(i32, mneme_dp4a_uu, "idp4a.u.u", i32 a, i32 b, i32 c) { return dot4<false, false>(a, b, c); }
NVVM(i32, mneme_dp2a_ss, "idp2a.s.s", i32 a, i32 b, bool h, i32 c) { return dot2<true, true>(a, b, h, c); }
NVVM(i32, mneme_dp2a_su, "idp2a.s.u", i32 a, i32 b, bool h, i32 c) { return dot2<true, false>(a, b, h, c); }
NVVM(i32, mneme_dp2a_us, "idp2a.u.s", i32 a, i32 b, bool h, i32 c) { return dot2<false, true>(a, b, h, c); }
NVVM(i32, mneme_dp2a_uu, "idp2a.u.u", i32 a, i32 b, bool h, i32 c) { return dot2<false, false>(a, b, h, c); }
PTX(i32, mneme_ptx_dp4a_s, "dp4a.s32.s32", i32 a, i32 b, i32 c) { return dot4<true, true>(a, b, c); }
PTX(i32, mneme_ptx_dp4a_u, "dp4a.u32.u32", i32 a, i32 b, i32 c) { return dot4<false, false>(a, b, c); }
