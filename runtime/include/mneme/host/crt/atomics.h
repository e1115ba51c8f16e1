// SPDX-License-Identifier: Apache-2.0
/// CUDA's atomic functions on integers, float and double, at device, block and system scope.
#pragma once

#define MNEME_ATOMIC static __device__ __forceinline__

// CUDA name, value type, stem of clang's functions
#define MNEME_ATOMIC_VALUE(name, type, stem)                                                        \
  MNEME_ATOMIC type name(type* p, type v) { return stem(p, v); }                                    \
  MNEME_ATOMIC type name##_block(type* p, type v) { return stem##_block(p, v); }                    \
  MNEME_ATOMIC type name##_system(type* p, type v) { return stem##_system(p, v); }
#define MNEME_ATOMIC_CAS(type, stem, as)                                                            \
  MNEME_ATOMIC type atomicCAS(type* p, type c, type v) { return (type)stem((as*)p, (as)c, (as)v); } \
  MNEME_ATOMIC type atomicCAS_block(type* p, type c, type v) {                                      \
    return (type)stem##_block((as*)p, (as)c, (as)v);                                                \
  }                                                                                                 \
  MNEME_ATOMIC type atomicCAS_system(type* p, type c, type v) {                                     \
    return (type)stem##_system((as*)p, (as)c, (as)v);                                               \
  }
#define MNEME_ATOMIC_SUB(type)                                                                      \
  MNEME_ATOMIC type atomicSub(type* p, type v) { return atomicAdd(p, (type)(0 - v)); }              \
  MNEME_ATOMIC type atomicSub_block(type* p, type v) { return atomicAdd_block(p, (type)(0 - v)); }  \
  MNEME_ATOMIC type atomicSub_system(type* p, type v) { return atomicAdd_system(p, (type)(0 - v)); }

MNEME_ATOMIC_VALUE(atomicAdd, int, __iAtomicAdd)
MNEME_ATOMIC_VALUE(atomicAdd, unsigned int, __uAtomicAdd)
MNEME_ATOMIC_VALUE(atomicAdd, unsigned long long, __ullAtomicAdd)
MNEME_ATOMIC_VALUE(atomicAdd, float, __fAtomicAdd)
MNEME_ATOMIC_VALUE(atomicAdd, double, __dAtomicAdd)
MNEME_ATOMIC_SUB(int)
MNEME_ATOMIC_SUB(unsigned int)
MNEME_ATOMIC_VALUE(atomicExch, int, __iAtomicExch)
MNEME_ATOMIC_VALUE(atomicExch, unsigned int, __uAtomicExch)
MNEME_ATOMIC_VALUE(atomicExch, unsigned long long, __ullAtomicExch)
MNEME_ATOMIC_VALUE(atomicExch, float, __fAtomicExch)
MNEME_ATOMIC_VALUE(atomicMin, int, __iAtomicMin)
MNEME_ATOMIC_VALUE(atomicMin, unsigned int, __uAtomicMin)
MNEME_ATOMIC_VALUE(atomicMin, long long, __illAtomicMin)
MNEME_ATOMIC_VALUE(atomicMin, unsigned long long, __ullAtomicMin)
MNEME_ATOMIC_VALUE(atomicMax, int, __iAtomicMax)
MNEME_ATOMIC_VALUE(atomicMax, unsigned int, __uAtomicMax)
MNEME_ATOMIC_VALUE(atomicMax, long long, __illAtomicMax)
MNEME_ATOMIC_VALUE(atomicMax, unsigned long long, __ullAtomicMax)
MNEME_ATOMIC_VALUE(atomicInc, unsigned int, __uAtomicInc)
MNEME_ATOMIC_VALUE(atomicDec, unsigned int, __uAtomicDec)
MNEME_ATOMIC_VALUE(atomicAnd, int, __iAtomicAnd)
MNEME_ATOMIC_VALUE(atomicAnd, unsigned int, __uAtomicAnd)
MNEME_ATOMIC_VALUE(atomicAnd, long long, __llAtomicAnd)
MNEME_ATOMIC_VALUE(atomicAnd, unsigned long long, __ullAtomicAnd)
MNEME_ATOMIC_VALUE(atomicOr, int, __iAtomicOr)
MNEME_ATOMIC_VALUE(atomicOr, unsigned int, __uAtomicOr)
MNEME_ATOMIC_VALUE(atomicOr, long long, __llAtomicOr)
MNEME_ATOMIC_VALUE(atomicOr, unsigned long long, __ullAtomicOr)
MNEME_ATOMIC_VALUE(atomicXor, int, __iAtomicXor)
MNEME_ATOMIC_VALUE(atomicXor, unsigned int, __uAtomicXor)
MNEME_ATOMIC_VALUE(atomicXor, long long, __llAtomicXor)
MNEME_ATOMIC_VALUE(atomicXor, unsigned long long, __ullAtomicXor)
MNEME_ATOMIC_CAS(int, __iAtomicCAS, int)
MNEME_ATOMIC_CAS(unsigned int, __iAtomicCAS, int)
MNEME_ATOMIC_CAS(unsigned long long, __ullAtomicCAS, unsigned long long)
MNEME_ATOMIC_CAS(unsigned short, __usAtomicCAS, unsigned short)

#undef MNEME_ATOMIC_SUB
#undef MNEME_ATOMIC_CAS
#undef MNEME_ATOMIC_VALUE
