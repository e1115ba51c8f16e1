// SPDX-License-Identifier: Apache-2.0
/// The CUDA runtime for the host device: C API, its C++ overloads, and everything device code uses.
/// Device sources are compiled with this header in front of all others (-include cuda_runtime.h), as nvcc does.
#pragma once

#if defined(__CUDA__) && defined(__clang__)
#include "crt/device_prelude.h"  // must come before any standard header
#endif

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#ifdef __cplusplus
#include <utility>  // sources count on CUDA's header for it

#if defined(__CUDA__) && defined(__clang__)
#include "crt/device_code.h"
#include "crt/managed_variables.h"
#endif

#include "crt/channel_descriptors.h"
#include "crt/host_overloads.h"
#include "crt/math_both_sides.h"
#endif

static inline __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t xsize,
                                                                 size_t ysize) {
  struct cudaPitchedPtr result = {pointer, pitch, xsize, ysize};
  return result;
}
static inline __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos result = {x, y, z};
  return result;
}
static inline __host__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  struct cudaExtent result = {width, height, depth};
  return result;
}
