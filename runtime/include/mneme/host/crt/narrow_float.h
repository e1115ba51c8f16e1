// SPDX-License-Identifier: Apache-2.0
/// Arithmetic, comparisons and math of one 16-bit float type and its pair; included once for half, once for bfloat16.
/// Before inclusion: MNEME_NARROW, MNEME_NARROW2 (the types), MNEME_WIDEN (to float), MNEME_ROUND (from float).
/// Every result is the float result rounded once more, which for + - * / and sqrt is the correctly rounded one.
// No include guard: that is the point.

#define MNEME_OP static inline __host__ __device__

#define MNEME_BINARY(name, op)                                                                               \
  MNEME_OP MNEME_NARROW name(MNEME_NARROW a, MNEME_NARROW b) { return MNEME_ROUND(MNEME_WIDEN(a) op MNEME_WIDEN(b)); } \
  MNEME_OP MNEME_NARROW2 name##2(MNEME_NARROW2 a, MNEME_NARROW2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define MNEME_OPERATOR(op, name)                                                                                       \
  MNEME_OP MNEME_NARROW operator op(MNEME_NARROW a, MNEME_NARROW b) { return name(a, b); }                             \
  MNEME_OP MNEME_NARROW2 operator op(MNEME_NARROW2 a, MNEME_NARROW2 b) { return name##2(a, b); }                       \
  MNEME_OP MNEME_NARROW& operator op##=(MNEME_NARROW& a, MNEME_NARROW b) { return a = name(a, b); }                    \
  MNEME_OP MNEME_NARROW2& operator op##=(MNEME_NARROW2& a, MNEME_NARROW2 b) { return a = name##2(a, b); }
#define MNEME_COMPARE(op, name)                                                                                 \
  MNEME_OP bool name(MNEME_NARROW a, MNEME_NARROW b) { return MNEME_WIDEN(a) op MNEME_WIDEN(b); }               \
  MNEME_OP MNEME_NARROW2 name##2(MNEME_NARROW2 a, MNEME_NARROW2 b) {                                            \
    return {MNEME_ROUND(name(a.x, b.x) ? 1.0f : 0.0f), MNEME_ROUND(name(a.y, b.y) ? 1.0f : 0.0f)};              \
  }                                                                                                             \
  MNEME_OP bool operator op(MNEME_NARROW a, MNEME_NARROW b) { return name(a, b); }
#define MNEME_UNARY(name, expression)                                                                          \
  MNEME_OP MNEME_NARROW h##name(MNEME_NARROW a) { float v = MNEME_WIDEN(a); return MNEME_ROUND(expression); }  \
  MNEME_OP MNEME_NARROW2 h2##name(MNEME_NARROW2 a) { return {h##name(a.x), h##name(a.y)}; }

MNEME_BINARY(__hadd, +)
MNEME_BINARY(__hsub, -)
MNEME_BINARY(__hmul, *)
MNEME_OP MNEME_NARROW __hdiv(MNEME_NARROW a, MNEME_NARROW b) { return MNEME_ROUND(MNEME_WIDEN(a) / MNEME_WIDEN(b)); }
MNEME_OP MNEME_NARROW2 __hdiv2(MNEME_NARROW2 a, MNEME_NARROW2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
MNEME_OP MNEME_NARROW __hfma(MNEME_NARROW a, MNEME_NARROW b, MNEME_NARROW c) {
  return MNEME_ROUND(fmaf(MNEME_WIDEN(a), MNEME_WIDEN(b), MNEME_WIDEN(c)));
}
MNEME_OP MNEME_NARROW2 __hfma2(MNEME_NARROW2 a, MNEME_NARROW2 b, MNEME_NARROW2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
MNEME_OP MNEME_NARROW __hneg(MNEME_NARROW a) { return MNEME_ROUND(-MNEME_WIDEN(a)); }
MNEME_OP MNEME_NARROW2 __hneg2(MNEME_NARROW2 a) { return {__hneg(a.x), __hneg(a.y)}; }
MNEME_OP MNEME_NARROW __habs(MNEME_NARROW a) { return MNEME_ROUND(fabsf(MNEME_WIDEN(a))); }
MNEME_OP MNEME_NARROW2 __habs2(MNEME_NARROW2 a) { return {__habs(a.x), __habs(a.y)}; }
MNEME_OP MNEME_NARROW __hmax(MNEME_NARROW a, MNEME_NARROW b) { return MNEME_ROUND(fmaxf(MNEME_WIDEN(a), MNEME_WIDEN(b))); }
MNEME_OP MNEME_NARROW __hmin(MNEME_NARROW a, MNEME_NARROW b) { return MNEME_ROUND(fminf(MNEME_WIDEN(a), MNEME_WIDEN(b))); }
MNEME_OP MNEME_NARROW2 __hmax2(MNEME_NARROW2 a, MNEME_NARROW2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
MNEME_OP MNEME_NARROW2 __hmin2(MNEME_NARROW2 a, MNEME_NARROW2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
MNEME_OP bool __hisnan(MNEME_NARROW a) { return MNEME_WIDEN(a) != MNEME_WIDEN(a); }
MNEME_OPERATOR(+, __hadd)
MNEME_OPERATOR(-, __hsub)
MNEME_OPERATOR(*, __hmul)
MNEME_OPERATOR(/, __hdiv)
MNEME_OP MNEME_NARROW operator-(MNEME_NARROW a) { return __hneg(a); }
MNEME_OP MNEME_NARROW operator+(MNEME_NARROW a) { return a; }
MNEME_COMPARE(==, __heq)
MNEME_COMPARE(!=, __hne)
MNEME_COMPARE(<, __hlt)
MNEME_COMPARE(<=, __hle)
MNEME_COMPARE(>, __hgt)
MNEME_COMPARE(>=, __hge)
MNEME_UNARY(sqrt, sqrtf(v))
MNEME_UNARY(rsqrt, 1.0f / sqrtf(v))
MNEME_UNARY(rcp, 1.0f / v)
MNEME_UNARY(exp, expf(v))
MNEME_UNARY(exp2, exp2f(v))
MNEME_UNARY(log, logf(v))
MNEME_UNARY(log2, log2f(v))
MNEME_UNARY(log10, log10f(v))
MNEME_UNARY(sin, sinf(v))
MNEME_UNARY(cos, cosf(v))
MNEME_UNARY(floor, floorf(v))
MNEME_UNARY(ceil, ceilf(v))
MNEME_UNARY(trunc, truncf(v))
MNEME_UNARY(rint, rintf(v))

#undef MNEME_OP
#undef MNEME_BINARY
#undef MNEME_OPERATOR
#undef MNEME_COMPARE
#undef MNEME_UNARY
