// SPDX-License-Identifier: Apache-2.0
/// The recorder's own kernels. Their PTX (snapshot_kernels.ptx) is kept in the repository, so that building Mneme needs
/// no nvcc; `regenerate_ptx.sh` makes it anew. Blocks are kThreads wide; every pointer pair agrees modulo 16.

using u64 = unsigned long long;

constexpr unsigned kThreads = 256;

__device__ u64 smaller(u64 a, u64 b) { return a < b ? a : b; }

/// Bytes before the first 16-byte boundary, at most `size`.
__device__ u64 unaligned(const void* at, u64 size) {
  return smaller(size, (16 - (reinterpret_cast<u64>(at) & 15)) & 15);
}

/// One block a chunk: changed[chunk] says whether any of its bytes differ.
extern "C" __global__ void __launch_bounds__(kThreads)
    mneme_compare(const unsigned char* now, const unsigned char* before, u64 size, u64 chunkBytes, unsigned char* changed) {
  const u64 begin = blockIdx.x * chunkBytes;
  const unsigned char* a = now + begin;
  const unsigned char* b = before + begin;
  const u64 count = smaller(chunkBytes, size - begin);
  const u64 head = unaligned(a, count);
  const u64 vectors = (count - head) / 16;
  unsigned different = 0;
  const uint4* wideA = reinterpret_cast<const uint4*>(a + head);
  const uint4* wideB = reinterpret_cast<const uint4*>(b + head);
#pragma unroll 4
  for (u64 i = threadIdx.x; i < vectors; i += kThreads) {
    const uint4 x = wideA[i], y = wideB[i];
    different |= (x.x ^ y.x) | (x.y ^ y.y) | (x.z ^ y.z) | (x.w ^ y.w);
  }
  if (threadIdx.x < head) different |= a[threadIdx.x] ^ b[threadIdx.x];
  for (u64 i = head + vectors * 16 + threadIdx.x; i < count; i += kThreads) different |= a[i] ^ b[i];
  const int any = __syncthreads_or(different != 0);
  if (threadIdx.x == 0) changed[blockIdx.x] = any ? 1 : 0;
}

/// One block a changed chunk: copies chunk chunks[block] of `from` to the block's place in `to`.
extern "C" __global__ void __launch_bounds__(kThreads)
    mneme_gather(const unsigned char* from, unsigned char* to, u64 size, u64 chunkBytes, const unsigned* chunks) {
  const u64 begin = chunks[blockIdx.x] * chunkBytes;
  const unsigned char* source = from + begin;
  unsigned char* target = to + blockIdx.x * chunkBytes;
  const u64 count = smaller(chunkBytes, size - begin);
  const u64 head = unaligned(source, count);
  const u64 vectors = (count - head) / 16;
  const uint4* wideSource = reinterpret_cast<const uint4*>(source + head);
  uint4* wideTarget = reinterpret_cast<uint4*>(target + head);
#pragma unroll 4
  for (u64 i = threadIdx.x; i < vectors; i += kThreads) wideTarget[i] = wideSource[i];
  if (threadIdx.x < head) target[threadIdx.x] = source[threadIdx.x];
  for (u64 i = head + vectors * 16 + threadIdx.x; i < count; i += kThreads) target[i] = source[i];
}

/// One thread that is busy for so many cycles.
extern "C" __global__ void mneme_hold(unsigned cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// Marks reached[r] for every range r (sorted, disjoint: begins[r] to ends[r]) that an aligned 8-byte word points into.
extern "C" __global__ void __launch_bounds__(kThreads)
    mneme_reach(const unsigned char* bytes, u64 size, const u64* begins, const u64* ends, unsigned ranges,
                unsigned char* reached) {
  const u64 skip = smaller(size, (8 - (reinterpret_cast<u64>(bytes) & 7)) & 7);
  const u64* words = reinterpret_cast<const u64*>(bytes + skip);
  const u64 count = (size - skip) / 8;
  const u64 low = begins[0], span = ends[ranges - 1] - low;
  for (u64 i = blockIdx.x * u64{kThreads} + threadIdx.x; i < count; i += u64{gridDim.x} * kThreads) {
    const u64 word = words[i];
    if (word - low >= span) continue;
    unsigned first = 0, last = ranges;  // the last range that begins at or before the word is in [first, last)
    while (last - first > 1) {
      const unsigned middle = (first + last) / 2;
      if (begins[middle] <= word) first = middle;
      else last = middle;
    }
    if (word < ends[first]) reached[first] = 1;
  }
}
