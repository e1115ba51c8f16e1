// SPDX-License-Identifier: Apache-2.0
/// A status check for the small programs: says what failed and ends the program with 1.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

/// Ends with 0 and "ok", or with 1 and "wrong".
inline int finish(bool good) {
  std::puts(good ? "ok" : "wrong");
  return good ? 0 : 1;
}
