// SPDX-License-Identifier: Apache-2.0
/// Device operations on a 16-bit floating-point type and its pair, by way of the bits; for cuda_fp16.h and cuda_bf16.h.
#pragma once

#define MNEME_NARROW_SHUFFLE(type, pair, toBits, fromBits, name, laneType)                              \
  static __device__ inline type name(unsigned mask, type value, laneType lane, int width = warpSize) {  \
    return fromBits((unsigned short)name(mask, (unsigned)toBits(value), lane, width));                  \
  }                                                                                                     \
  static __device__ inline pair name(unsigned mask, pair value, laneType lane, int width = warpSize) {  \
    unsigned bits;                                                                                      \
    memcpy(&bits, &value, sizeof bits);                                                                 \
    bits = name(mask, bits, lane, width);                                                               \
    memcpy(&value, &bits, sizeof bits);                                                                 \
    return value;                                                                                       \
  }

/// CUDA promises no more of a pair's atomicAdd than that each half is atomic.
#define MNEME_NARROW_DEVICE(type, pair, toBits, fromBits)                                               \
  static __device__ inline type atomicAdd(type* address, type value) {                                  \
    unsigned short* bits = (unsigned short*)address;                                                    \
    unsigned short seen = *(volatile unsigned short*)bits, expected;                                    \
    do {                                                                                                \
      expected = seen;                                                                                  \
      seen = atomicCAS(bits, expected, toBits(fromBits(expected) + value));                             \
    } while (seen != expected);                                                                         \
    return fromBits(seen);                                                                              \
  }                                                                                                     \
  static __device__ inline pair atomicAdd(pair* address, pair value) {                                  \
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};                          \
  }                                                                                                     \
  MNEME_NARROW_SHUFFLE(type, pair, toBits, fromBits, __shfl_sync, int)                                  \
  MNEME_NARROW_SHUFFLE(type, pair, toBits, fromBits, __shfl_up_sync, unsigned int)                      \
  MNEME_NARROW_SHUFFLE(type, pair, toBits, fromBits, __shfl_down_sync, unsigned int)                    \
  MNEME_NARROW_SHUFFLE(type, pair, toBits, fromBits, __shfl_xor_sync, int)                              \
  static __device__ inline type __ldg(const type* p) { return fromBits(__ldg((const unsigned short*)p)); }
