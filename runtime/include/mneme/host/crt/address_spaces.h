// SPDX-License-Identifier: Apache-2.0
/// Questions about address spaces and conversions between them; clang's intrinsics are built on these.
#pragma once

#define MNEME_DEVICE static __device__ __forceinline__

MNEME_DEVICE unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
MNEME_DEVICE unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
MNEME_DEVICE unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
MNEME_DEVICE unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }

MNEME_DEVICE size_t __cvta_generic_to_global(const void* p) {
  return (size_t)(void __attribute__((address_space(1)))*)p;
}
MNEME_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)(void __attribute__((address_space(3)))*)p;
}
MNEME_DEVICE size_t __cvta_generic_to_constant(const void* p) {
  return (size_t)(void __attribute__((address_space(4)))*)p;
}
MNEME_DEVICE size_t __cvta_generic_to_local(const void* p) {
  return (size_t)(void __attribute__((address_space(5)))*)p;
}

#undef MNEME_DEVICE
