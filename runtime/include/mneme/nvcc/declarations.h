/* SPDX-License-Identifier: Apache-2.0 */
/** What nvcc declares by itself and clang does not, for the side compile of a source that nvcc builds. Force-included
 *  behind clang's own wrapper of the CUDA headers. Only what real programs were found to need. */
#ifndef MNEME_NVCC_DECLARATIONS_H
#define MNEME_NVCC_DECLARATIONS_H

/** clang has no managed variables in CUDA mode: to device code they are device variables. */
#undef __managed__
#define __managed__ __attribute__((device))

/** Host code calls these, too; clang's wrapper declares them for the device alone. */
#define MNEME_HOST_MINMAX(result, left, right)                                            \
  static inline __attribute__((host)) result min(left a, right b) {                       \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
  }                                                                                       \
  static inline __attribute__((host)) result max(left a, right b) {                       \
    return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
  }
MNEME_HOST_MINMAX(int, int, int)
MNEME_HOST_MINMAX(unsigned int, unsigned int, unsigned int)
MNEME_HOST_MINMAX(unsigned int, int, unsigned int)
MNEME_HOST_MINMAX(unsigned int, unsigned int, int)
MNEME_HOST_MINMAX(long, long, long)
MNEME_HOST_MINMAX(unsigned long, unsigned long, unsigned long)
MNEME_HOST_MINMAX(unsigned long, long, unsigned long)
MNEME_HOST_MINMAX(unsigned long, unsigned long, long)
MNEME_HOST_MINMAX(long long, long long, long long)
MNEME_HOST_MINMAX(unsigned long long, unsigned long long, unsigned long long)
MNEME_HOST_MINMAX(unsigned long long, long long, unsigned long long)
MNEME_HOST_MINMAX(unsigned long long, unsigned long long, long long)
MNEME_HOST_MINMAX(float, float, float)
MNEME_HOST_MINMAX(double, double, double)
MNEME_HOST_MINMAX(double, float, double)
MNEME_HOST_MINMAX(double, double, float)
#undef MNEME_HOST_MINMAX

/** Built into nvcc's front end since CUDA 12.8. Scopes are dropped: every operation is one of the whole system. */
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
enum mneme_nv_atomic_scope {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};
#define __nv_atomic_load_n(address, order, ...) __atomic_load_n(address, order)
#define __nv_atomic_load(address, result, order, ...) __atomic_load(address, result, order)
#define __nv_atomic_store_n(address, value, order, ...) __atomic_store_n(address, value, order)
#define __nv_atomic_store(address, value, order, ...) __atomic_store(address, value, order)
#define __nv_atomic_exchange_n(address, value, order, ...) __atomic_exchange_n(address, value, order)
#define __nv_atomic_exchange(address, value, result, order, ...) __atomic_exchange(address, value, result, order)
#define __nv_atomic_compare_exchange_n(address, expected, wanted, weak, success, failure, ...) \
  __atomic_compare_exchange_n(address, expected, wanted, weak, success, failure)
#define __nv_atomic_compare_exchange(address, expected, wanted, weak, success, failure, ...) \
  __atomic_compare_exchange(address, expected, wanted, weak, success, failure)
#define __nv_atomic_fetch_add(address, value, order, ...) __atomic_fetch_add(address, value, order)
#define __nv_atomic_fetch_sub(address, value, order, ...) __atomic_fetch_sub(address, value, order)
#define __nv_atomic_fetch_and(address, value, order, ...) __atomic_fetch_and(address, value, order)
#define __nv_atomic_fetch_or(address, value, order, ...) __atomic_fetch_or(address, value, order)
#define __nv_atomic_fetch_xor(address, value, order, ...) __atomic_fetch_xor(address, value, order)
#define __nv_atomic_fetch_min(address, value, order, ...) __atomic_fetch_min(address, value, order)
#define __nv_atomic_fetch_max(address, value, order, ...) __atomic_fetch_max(address, value, order)
#define __nv_atomic_add(address, value, order, ...) ((void)__atomic_fetch_add(address, value, order))
#define __nv_atomic_sub(address, value, order, ...) ((void)__atomic_fetch_sub(address, value, order))
#define __nv_atomic_and(address, value, order, ...) ((void)__atomic_fetch_and(address, value, order))
#define __nv_atomic_or(address, value, order, ...) ((void)__atomic_fetch_or(address, value, order))
#define __nv_atomic_xor(address, value, order, ...) ((void)__atomic_fetch_xor(address, value, order))
#define __nv_atomic_min(address, value, order, ...) ((void)__atomic_fetch_min(address, value, order))
#define __nv_atomic_max(address, value, order, ...) ((void)__atomic_fetch_max(address, value, order))
#define __nv_atomic_thread_fence(order, ...) __atomic_thread_fence(order)

#endif
