// SPDX-License-Identifier: Apache-2.0
/// Cooperative groups: the block, and tiles of 32 or fewer threads of it. Grid-wide groups are not here yet: a program
/// that asks for one does not compile.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)

namespace cooperative_groups {

class thread_block {
 public:
  __device__ void sync() const { __syncthreads(); }
  __device__ unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  __device__ dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ dim3 dim_threads() const { return group_dim(); }
};

static __device__ inline thread_block this_thread_block() { return thread_block(); }
static __device__ inline void sync(const thread_block& group) { group.sync(); }

/// `kSize` consecutive threads of a block; a power of two up to 32.
template <unsigned kSize, class Parent = thread_block>
class thread_block_tile {
  static_assert(kSize >= 1 && kSize <= 32 && (kSize & (kSize - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  __device__ static constexpr unsigned size() { return kSize; }
  __device__ static constexpr unsigned num_threads() { return kSize; }
  __device__ unsigned thread_rank() const { return rank() % kSize; }
  __device__ unsigned meta_group_rank() const { return rank() / kSize; }
  __device__ unsigned meta_group_size() const { return (thread_block().size() + kSize - 1) / kSize; }
  __device__ void sync() const { __syncwarp(mask()); }
  template <class T>
  __device__ T shfl(T value, int lane) const { return __shfl_sync(mask(), value, lane, kSize); }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const { return __shfl_up_sync(mask(), value, delta, kSize); }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const { return __shfl_down_sync(mask(), value, delta, kSize); }
  template <class T>
  __device__ T shfl_xor(T value, int lanes) const { return __shfl_xor_sync(mask(), value, lanes, kSize); }
  __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
  __device__ unsigned ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first() & low(); }

 private:
  __device__ static unsigned rank() { return thread_block().thread_rank(); }
  __device__ static unsigned first() { return rank() % 32 / kSize * kSize; }
  __device__ static constexpr unsigned low() { return 0xffffffffu >> (32 - kSize); }
  __device__ static unsigned mask() { return low() << first(); }
};

template <unsigned kSize, class Parent>
__device__ inline thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<kSize, Parent>();
}
template <unsigned kSize, class Parent>
__device__ inline void sync(const thread_block_tile<kSize, Parent>& group) { group.sync(); }

}  // namespace cooperative_groups

#endif
