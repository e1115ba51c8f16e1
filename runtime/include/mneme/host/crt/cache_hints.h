// SPDX-License-Identifier: Apache-2.0
/// Loads and stores with cache hints. The hints have no meaning on a CPU; what bypasses L1 on a GPU is volatile here,
/// so that a value another block wrote is seen.
#pragma once

#define MNEME_HINTED_LOAD(name, qualifier)                            \
  template <class T>                                                  \
  static __device__ __forceinline__ T name(const T* pointer) {        \
    return mneme_host_load<qualifier>(pointer);                       \
  }
#define MNEME_HINTED_STORE(name)                                      \
  template <class T>                                                  \
  static __device__ __forceinline__ void name(T* pointer, T value) {  \
    *pointer = value;                                                 \
  }

/// Word by word where the type allows, as one transaction is on a GPU.
template <bool kFresh, class T>
static __device__ __forceinline__ T mneme_host_load(const T* pointer) {
  if (!kFresh) return *pointer;
  using Word = unsigned int;
  T value;
  if constexpr (sizeof(T) % sizeof(Word) == 0 && alignof(T) >= sizeof(Word)) {
    Word words[sizeof(T) / sizeof(Word)];
    for (unsigned i = 0; i < sizeof(T) / sizeof(Word); ++i)
      words[i] = reinterpret_cast<const volatile Word*>(pointer)[i];
    __builtin_memcpy(&value, words, sizeof value);
  } else {
    unsigned char bytes[sizeof(T)];
    for (unsigned i = 0; i < sizeof(T); ++i) bytes[i] = reinterpret_cast<const volatile unsigned char*>(pointer)[i];
    __builtin_memcpy(&value, bytes, sizeof value);
  }
  return value;
}

MNEME_HINTED_LOAD(__ldcg, true)
MNEME_HINTED_LOAD(__ldcv, true)
MNEME_HINTED_LOAD(__ldca, false)
MNEME_HINTED_LOAD(__ldcs, false)
MNEME_HINTED_LOAD(__ldlu, false)
MNEME_HINTED_STORE(__stwb)
MNEME_HINTED_STORE(__stcg)
MNEME_HINTED_STORE(__stcs)
MNEME_HINTED_STORE(__stwt)

#undef MNEME_HINTED_LOAD
#undef MNEME_HINTED_STORE
