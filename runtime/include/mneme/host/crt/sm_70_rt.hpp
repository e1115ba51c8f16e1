// SPDX-License-Identifier: Apache-2.0
/// __match_any_sync and __match_all_sync over clang's 32- and 64-bit forms. Clang's own intrinsics include this file.
#pragma once

#define MNEME_MATCH(type, bits, width)                                                                          \
  static __device__ __forceinline__ unsigned __match_any_sync(unsigned mask, type value) {                      \
    return __match##width##_any_sync(mask, (bits));                                                             \
  }                                                                                                             \
  static __device__ __forceinline__ unsigned __match_all_sync(unsigned mask, type value, int* predicate) {      \
    return __match##width##_all_sync(mask, (bits), predicate);                                                  \
  }
MNEME_MATCH(int, (unsigned)value, 32)
MNEME_MATCH(unsigned, value, 32)
MNEME_MATCH(float, __float_as_uint(value), 32)
MNEME_MATCH(long, (unsigned long long)value, 64)
MNEME_MATCH(unsigned long, value, 64)
MNEME_MATCH(long long, (unsigned long long)value, 64)
MNEME_MATCH(unsigned long long, value, 64)
MNEME_MATCH(double, (unsigned long long)__double_as_longlong(value), 64)
#undef MNEME_MATCH
