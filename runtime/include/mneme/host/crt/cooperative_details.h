// SPDX-License-Identifier: Apache-2.0
/// What cooperative groups are made of: ranks, lanes, shuffles of any type, and the grid's barrier.
#pragma once

#include <string.h>

namespace cooperative_groups {
namespace details {

enum kind { kLanes, kBlock, kGrid };

__device__ inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ inline unsigned block_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline unsigned long long block_count() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
__device__ inline unsigned long long block_number() {
  return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
__device__ inline unsigned long long grid_size() { return block_count() * block_size(); }
__device__ inline unsigned long long grid_rank() { return block_number() * block_size() + block_rank(); }

/// Where a cooperative launch's blocks meet: its address is in two registers, null in other launches. The second word
/// counts arrivals; the highest bit flips when all have come.
__device__ inline unsigned* grid_workspace() {
  unsigned high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return reinterpret_cast<unsigned*>(static_cast<unsigned long long>(high) << 32 | low);
}
__device__ inline void sync_grid() {
  unsigned* workspace = grid_workspace();
  if (!workspace) __builtin_trap();
  __syncthreads();
  if (block_rank() == 0) {
    const unsigned others = static_cast<unsigned>(block_count()) - 1;
    __threadfence();
    const unsigned before = atomicAdd(workspace + 1, block_number() == 0 ? 0x80000000u - others : 1u);
    while (((before ^ *static_cast<volatile unsigned*>(workspace + 1)) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

__device__ inline unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
/// The lane of the mask's member with that rank.
__device__ inline unsigned lane_of(unsigned mask, unsigned rank) {
  for (; rank > 0; --rank) mask &= mask - 1;
  return __ffs(mask) - 1;
}
/// `count` members of the mask from that rank on.
__device__ inline unsigned members(unsigned mask, unsigned from, unsigned count) {
  unsigned chosen = 0;
  for (; from > 0; --from) mask &= mask - 1;
  for (; count > 0 && mask; --count, mask &= mask - 1) chosen |= mask & (0u - mask);
  return chosen;
}
/// Bits of the lanes as bits of their ranks.
__device__ inline unsigned pack(unsigned lanes, unsigned mask) {
  unsigned result = 0;
  for (unsigned rank = 0; mask; ++rank, mask &= mask - 1)
    if (lanes & mask & (0u - mask)) result |= 1u << rank;
  return result;
}

template <class T, class Function>
__device__ inline T each_word(T value, Function function) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) word = function(word);
  memcpy(&value, words, sizeof(T));
  return value;
}
template <class T>
__device__ inline T shuffle(unsigned mask, T value, unsigned lane, unsigned width = 32) {
  return each_word(value, [=](unsigned word) { return __shfl_sync(mask, word, lane, width); });
}

}  // namespace details
}  // namespace cooperative_groups
