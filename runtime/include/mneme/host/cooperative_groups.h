// SPDX-License-Identifier: Apache-2.0
/// Cooperative groups: the grid of a cooperative launch, the block, tiles of up to 32 threads, and the threads that
/// happen to be together. Larger tiles, clusters and several devices are not here: they do not compile.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)

#include "crt/cooperative_details.h"

namespace cooperative_groups {

/// Any of the groups below, for functions that take whichever they are given.
class thread_group {
 public:
  __device__ void sync() const {
    if (kind_ == details::kGrid) details::sync_grid();
    else if (kind_ == details::kBlock) __syncthreads();
    else __syncwarp(mask_);
  }
  __device__ unsigned long long size() const {
    if (kind_ == details::kGrid) return details::grid_size();
    return kind_ == details::kBlock ? details::block_size() : __popc(mask_);
  }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long thread_rank() const {
    if (kind_ == details::kGrid) return details::grid_rank();
    return kind_ == details::kBlock ? details::block_rank() : __popc(mask_ & details::lanes_below());
  }

 protected:
  __device__ explicit thread_group(details::kind kind, unsigned mask = 0) : kind_(kind), mask_(mask) {}

 private:
  friend class coalesced_group;
  details::kind kind_;
  unsigned mask_;
};

class thread_block : public thread_group {
 public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned size() { return details::block_size(); }
  __device__ static unsigned num_threads() { return size(); }
  __device__ static unsigned thread_rank() { return details::block_rank(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return group_dim(); }

 private:
  __device__ thread_block() : thread_group(details::kBlock) {}
  friend __device__ inline thread_block this_thread_block();
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

/// All threads of a cooperative launch. Without one, sync() stops the kernel, as it does on a GPU.
class grid_group : public thread_group {
 public:
  __device__ static bool is_valid() { return details::grid_workspace() != 0; }
  __device__ static void sync() { details::sync_grid(); }
  __device__ static unsigned long long size() { return details::grid_size(); }
  __device__ static unsigned long long num_threads() { return size(); }
  __device__ static unsigned long long thread_rank() { return details::grid_rank(); }
  __device__ static unsigned long long num_blocks() { return details::block_count(); }
  __device__ static unsigned long long block_rank() { return details::block_number(); }
  __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static dim3 dim_blocks() { return group_dim(); }

 private:
  __device__ grid_group() : thread_group(details::kGrid) {}
  friend __device__ inline grid_group this_grid();
};
__device__ inline grid_group this_grid() { return grid_group(); }

/// Some lanes of a warp; ranks count them from the lowest.
class coalesced_group : public thread_group {
 public:
  __device__ unsigned size() const { return __popc(mask()); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const { return __popc(mask() & details::lanes_below()); }
  __device__ unsigned meta_group_rank() const { return group_rank_; }
  __device__ unsigned meta_group_size() const { return group_count_; }
  __device__ void sync() const { __syncwarp(mask()); }
  template <class T>
  __device__ T shfl(T value, unsigned rank) const {
    return details::shuffle(mask(), value, details::lane_of(mask(), rank % size()));
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return details::shuffle(mask(), value, details::lane_of(mask(), rank >= delta ? rank - delta : rank));
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return details::shuffle(mask(), value, details::lane_of(mask(), rank + delta < size() ? rank + delta : rank));
  }
  __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
  __device__ unsigned ballot(int predicate) const { return details::pack(__ballot_sync(mask(), predicate), mask()); }
  template <class T>
  __device__ unsigned match_any(T value) const { return details::pack(__match_any_sync(mask(), value), mask()); }
  template <class T>
  __device__ unsigned match_all(T value, int& same) const {
    return details::pack(__match_all_sync(mask(), value, &same), mask());
  }
  /// Of Mneme: the same lanes, in other groups.
  __device__ static coalesced_group of(unsigned mask, unsigned groupRank = 0, unsigned groupCount = 1) {
    return coalesced_group(mask, groupRank, groupCount);
  }
  __device__ unsigned mask() const { return mask_; }

 private:
  __device__ coalesced_group(unsigned mask, unsigned groupRank, unsigned groupCount)
      : thread_group(details::kLanes, mask), group_rank_(groupRank), group_count_(groupCount) {}
  unsigned group_rank_, group_count_;
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group::of(__activemask()); }

/// `kSize` consecutive threads of a block; a power of two up to 32.
template <unsigned kSize, class Parent = void>
class thread_block_tile : public thread_group {
  static_assert(kSize >= 1 && kSize <= 32 && (kSize & (kSize - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads here");

 public:
  __device__ explicit thread_block_tile() : thread_group(details::kLanes, mask()) {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<kSize, Other>&) : thread_block_tile() {}
  __device__ static constexpr unsigned size() { return kSize; }
  __device__ static constexpr unsigned num_threads() { return kSize; }
  __device__ static unsigned thread_rank() { return details::block_rank() % kSize; }
  __device__ static unsigned meta_group_rank() { return details::block_rank() / kSize; }
  __device__ static unsigned meta_group_size() { return (details::block_size() + kSize - 1) / kSize; }
  __device__ static void sync() { __syncwarp(mask()); }
  template <class T>
  __device__ T shfl(T value, int rank) const { return details::shuffle(mask(), value, rank, kSize); }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    return details::each_word(value, [&](unsigned word) { return __shfl_up_sync(mask(), word, delta, kSize); });
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    return details::each_word(value, [&](unsigned word) { return __shfl_down_sync(mask(), word, delta, kSize); });
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned lanes) const {
    return details::each_word(value, [&](unsigned word) { return __shfl_xor_sync(mask(), word, lanes, kSize); });
  }
  __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
  __device__ unsigned ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first() & low(); }
  template <class T>
  __device__ unsigned match_any(T value) const { return __match_any_sync(mask(), value) >> first() & low(); }
  template <class T>
  __device__ unsigned match_all(T value, int& same) const {
    return __match_all_sync(mask(), value, &same) >> first() & low();
  }
  /// Of Mneme: which lanes of the warp these are.
  __device__ static unsigned mask() { return low() << first(); }

 private:
  __device__ static unsigned first() { return details::block_rank() % 32 / kSize * kSize; }
  __device__ static constexpr unsigned low() { return 0xffffffffu >> (32 - kSize); }
};

__device__ inline thread_block_tile<1> this_thread() { return thread_block_tile<1>(); }
template <unsigned kSize, class Parent>
__device__ inline thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<kSize, Parent>();
}
__device__ inline coalesced_group tiled_partition(const coalesced_group& group, unsigned size) {
  const unsigned part = group.thread_rank() / size;
  return coalesced_group::of(details::members(group.mask(), part * size, size), part, (group.size() + size - 1) / size);
}
__device__ inline coalesced_group tiled_partition(const thread_block&, unsigned size) {
  const unsigned rank = details::block_rank(), first = rank % 32 / size * size;
  const unsigned mask = (0xffffffffu >> (32 - size)) << first;
  return coalesced_group::of(mask, rank / size, (details::block_size() + size - 1) / size);
}
/// The lanes of the group that have the same label, or the same answer.
template <class Group, class T>
__device__ inline coalesced_group labeled_partition(const Group& group, T label) {
  return coalesced_group::of(__match_any_sync(group.mask(), label));
}
template <class Group>
__device__ inline coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = __ballot_sync(group.mask(), predicate);
  return coalesced_group::of(predicate ? yes : group.mask() & ~yes, predicate, 2);
}

template <class Group>
__device__ inline void sync(const Group& group) { group.sync(); }
template <class Group>
__device__ inline auto thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group>
__device__ inline auto group_size(const Group& group) { return group.size(); }

}  // namespace cooperative_groups

#endif
