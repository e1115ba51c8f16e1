// SPDX-License-Identifier: Apache-2.0
/// Everything device code can name: built-in variables, libdevice math, intrinsics, atomics, printf and malloc.
/// Clang's own wrappers supply most; they call libdevice by its names, so the IR is that of real CUDA bitcode.
#pragma once

#include <__clang_cuda_builtin_vars.h>

#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 9999
#endif

#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

extern "C" {
__device__ int vprintf(const char*, const char*);
__device__ int printf(const char*, ...);
__device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function,
                             size_t charSize);
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned line,
                                            const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes = 0, void* stream = 0);
}

namespace std {
__device__ static inline void free(void* pointer) { ::free(pointer); }
__device__ static inline void* malloc(size_t size) { return ::malloc(size); }
}  // namespace std

#define MNEME_BUILTIN_VARIABLE(name)                                                           \
  __device__ inline __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); } \
  __device__ inline __cuda_builtin_##name##_t::operator uint3() const { return uint3{x, y, z}; }
MNEME_BUILTIN_VARIABLE(threadIdx)
MNEME_BUILTIN_VARIABLE(blockIdx)
MNEME_BUILTIN_VARIABLE(blockDim)
MNEME_BUILTIN_VARIABLE(gridDim)
#undef MNEME_BUILTIN_VARIABLE

#include <__clang_cuda_cmath.h>
#include "../cuda_address_types.h"
#include "address_spaces.h"

// Clang writes cache-hinted accesses as inline assembly; ours are in device_extras.h.
#define MNEME_RENAMED(name) mneme_unused_##name
#define __ldcg MNEME_RENAMED(ldcg)
#define __ldcv MNEME_RENAMED(ldcv)
#define __ldca MNEME_RENAMED(ldca)
#define __ldcs MNEME_RENAMED(ldcs)
#define __ldlu MNEME_RENAMED(ldlu)
#define __stwb MNEME_RENAMED(stwb)
#define __stcg MNEME_RENAMED(stcg)
#define __stcs MNEME_RENAMED(stcs)
#define __stwt MNEME_RENAMED(stwt)
#include <__clang_cuda_intrinsics.h>
#undef __ldcg
#undef __ldcv
#undef __ldca
#undef __ldcs
#undef __ldlu
#undef __stwb
#undef __stcg
#undef __stcs
#undef __stwt
#undef MNEME_RENAMED

#include <__clang_cuda_complex_builtins.h>

#include "atomics.h"
#include "device_extras.h"
#include "texture_fetch.h"

#pragma pop_macro("__CUDA_ARCH__")
