// SPDX-License-Identifier: Apache-2.0
/// The operations that reductions and scans are given.
#pragma once

namespace cooperative_groups {

#define MNEME_OPERATION(name, expression)                                              \
  template <class T = void>                                                            \
  struct name {                                                                        \
    __host__ __device__ T operator()(T a, T b) const { return expression; }            \
  };                                                                                   \
  template <>                                                                          \
  struct name<void> {                                                                  \
    template <class T>                                                                 \
    __host__ __device__ T operator()(T a, T b) const { return expression; }            \
  };
MNEME_OPERATION(plus, a + b)
MNEME_OPERATION(less, b < a ? b : a)
MNEME_OPERATION(greater, a < b ? b : a)
MNEME_OPERATION(bit_and, a & b)
MNEME_OPERATION(bit_or, a | b)
MNEME_OPERATION(bit_xor, a ^ b)
#undef MNEME_OPERATION

}  // namespace cooperative_groups
