// SPDX-License-Identifier: Apache-2.0
/// Copies that a group makes together; here they are done when the call returns, and waiting is meeting.
#pragma once

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__)

namespace cooperative_groups {

template <class Group>
__device__ inline void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes; i += group.size())
    static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
}
template <class Group, class To, class From>
__device__ inline void memcpy_async(const Group& group, To* to, size_t toCount, const From* from, size_t fromCount) {
  const size_t toBytes = toCount * sizeof(To), fromBytes = fromCount * sizeof(From);
  memcpy_async(group, static_cast<void*>(to), static_cast<const void*>(from), toBytes < fromBytes ? toBytes : fromBytes);
}
template <class Group>
__device__ inline void wait(const Group& group) { group.sync(); }
template <unsigned kStages, class Group>
__device__ inline void wait_prior(const Group& group) { group.sync(); }

}  // namespace cooperative_groups

#endif
