// SPDX-License-Identifier: Apache-2.0
/// The declaration macros of CUDA sources; empty where no device code is compiled.
#pragma once

#define __host_defines_h_done__ 1

#if defined(__CUDA__) && defined(__clang__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#if defined(__clang_major__) && __clang_major__ >= 20
#define __grid_constant__ __attribute__((grid_constant))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// The host's variable of the section is the device's memory too; managed_variables.h tells the runtime where they are.
#define __managed__ __attribute__((device)) __attribute__((section("mneme_managed")))
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#else
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __constant__
#define __constant__
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(...)
#endif
#endif

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#ifndef __CUDA_RUNTIME_H_HOST_DEVICE__
#define __CUDA_RUNTIME_H_HOST_DEVICE__ __host__ __device__
#endif
