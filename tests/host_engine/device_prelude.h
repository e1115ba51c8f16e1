// SPDX-License-Identifier: Apache-2.0
/// What the engine's tests need of CUDA's headers.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#define __noinline__ __attribute__((noinline))
struct Index {
  __attribute__((device)) static int tx() { return __nvvm_read_ptx_sreg_tid_x(); }
  __attribute__((device)) static int ty() { return __nvvm_read_ptx_sreg_tid_y(); }
  __attribute__((device)) static int tz() { return __nvvm_read_ptx_sreg_tid_z(); }
  __attribute__((device)) static int bx() { return __nvvm_read_ptx_sreg_ctaid_x(); }
  __attribute__((device)) static int by() { return __nvvm_read_ptx_sreg_ctaid_y(); }
  __attribute__((device)) static int bz() { return __nvvm_read_ptx_sreg_ctaid_z(); }
  __attribute__((device)) static int nx() { return __nvvm_read_ptx_sreg_ntid_x(); }
  __attribute__((device)) static int ny() { return __nvvm_read_ptx_sreg_ntid_y(); }
  __attribute__((device)) static int nz() { return __nvvm_read_ptx_sreg_ntid_z(); }
  __attribute__((device)) static int gx() { return __nvvm_read_ptx_sreg_nctaid_x(); }
  __attribute__((device)) static int gy() { return __nvvm_read_ptx_sreg_nctaid_y(); }
};
typedef unsigned long size_t;
extern "C" __attribute__((device)) int vprintf(const char*, const char*);
extern "C" __attribute__((device)) int printf(const char*, ...);
extern "C" __attribute__((device)) void __assertfail(const char*, const char*, unsigned, const char*, size_t);
extern "C" __attribute__((device)) void* malloc(size_t);
extern "C" __attribute__((device)) void free(void*);
__attribute__((device)) inline int global() { return Index::bx() * Index::nx() + Index::tx(); }
