// SPDX-License-Identifier: Apache-2.0
/// Reductions over tiles and coalesced groups.
#pragma once

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__)

#include "../crt/cooperative_operations.h"

namespace cooperative_groups {

template <unsigned kSize, class Parent, class T, class Operation>
__device__ inline T reduce(const thread_block_tile<kSize, Parent>& group, T value, Operation operation) {
  for (unsigned lanes = kSize / 2; lanes > 0; lanes /= 2) value = operation(value, group.shfl_xor(value, lanes));
  return value;
}
template <class T, class Operation>
__device__ inline T reduce(const coalesced_group& group, T value, Operation operation) {
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) result = operation(result, group.shfl(value, rank));
  return result;
}

}  // namespace cooperative_groups

#endif
