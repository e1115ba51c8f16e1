// SPDX-License-Identifier: Apache-2.0
/// HIP for the host device: HIP sources become the same code as CUDA ones, with 32 lanes a warp.
/// Device sources are compiled with this header in front of all others (-include hip/hip_runtime.h).
#pragma once

#include "../cuda_runtime.h"
#include "hip_runtime_api.h"

#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, variable) extern __shared__ type variable[];

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

#if defined(__CUDA__) && defined(__clang__)
#define hipLaunchKernelGGL(kernel, grid, block, sharedBytes, stream, ...) \
  (kernel)<<<(grid), (block), (sharedBytes), (stream)>>>(__VA_ARGS__)
#endif
