// SPDX-License-Identifier: Apache-2.0
/// Names and texts of CUDA's error codes.
#include "preload/host/api.h"

extern "C" const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define X(code, text) \
  case code: return #code;
#include "preload/host/cuda_errors.def"
#undef X
    default: return "unrecognized error code";
  }
}

extern "C" const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define X(code, text) \
  case code: return text;
#include "preload/host/cuda_errors.def"
#undef X
    default: return "unrecognized error code";
  }
}
