// SPDX-License-Identifier: Apache-2.0
/// Atomics with a scope smaller or larger than the device; every scope is the process here.
#include "library.h"

#define ON(T, type, name, fn, body) \
  NVVM(T, mneme_##fn##_cta_##type, "atomic." name ".cta." #type ".p0", T* p, T v) { body } \
  NVVM(T, mneme_##fn##_sys_##type, "atomic." name ".sys." #type ".p0", T* p, T v) { body }
#define ON_BOTH(name, fn, body) ON(u32, i32, name, fn, body) ON(u64, i64, name, fn, body)
#define SWAP_UNTIL(expression) \
  auto old = __atomic_load_n(p, __ATOMIC_RELAXED); \
  while (!__atomic_compare_exchange_n(p, &old, (expression), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {} \
  return old;

ON_BOTH("add.gen.i", add, return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);)
ON_BOTH("and.gen.i", and, return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);)
ON_BOTH("or.gen.i", or, return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);)
ON_BOTH("xor.gen.i", xor, return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);)
ON_BOTH("exch.gen.i", exch, return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);)
ON_BOTH("inc.gen.i", inc, SWAP_UNTIL(old >= v ? 0 : old + 1))
ON_BOTH("dec.gen.i", dec, SWAP_UNTIL(old == 0 || old > v ? v : old - 1))
ON(i32, i32, "max.gen.i", max, SWAP_UNTIL(old > v ? old : v))
ON(i64, i64, "max.gen.i", max, SWAP_UNTIL(old > v ? old : v))
ON(i32, i32, "min.gen.i", min, SWAP_UNTIL(old < v ? old : v))
ON(i64, i64, "min.gen.i", min, SWAP_UNTIL(old < v ? old : v))

template <typename T, typename Bits>
static T addFloating(T* p, T v) {
  auto* raw = reinterpret_cast<Bits*>(p);
  Bits old = __atomic_load_n(raw, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(raw, &old, bits<Bits>(bits<T>(old) + v), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {}
  return bits<T>(old);
}
ON(float, f32, "add.gen.f", add, return (addFloating<float, u32>(p, v));)
ON(double, f64, "add.gen.f", add, return (addFloating<double, u64>(p, v));)

#define COMPARE(T, type, scope) \
  NVVM(T, mneme_cas_##scope##_##type, "atomic.cas.gen.i." #scope "." #type ".p0", T* p, T expected, T v) { \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected; \
  }
COMPARE(u32, i32, cta) COMPARE(u32, i32, sys) COMPARE(u64, i64, cta) COMPARE(u64, i64, sys)
COMPARE(u16, i16, cta) COMPARE(u16, i16, sys)
