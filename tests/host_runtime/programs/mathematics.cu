// SPDX-License-Identifier: Apache-2.0
/// <cmath>'s overloads for float in device code, and conversions of bfloat16 and half, against the same calls on the CPU.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

constexpr int kAnswers = 64;

// Once for each side: the same expressions.
#define ONE(name) out[n++] = name(x);
#define TWO(name) out[n++] = name(x, y);
#define MATHEMATICS                                                                                                      \
  int n = 0;                                                                                                             \
  ONE(acosh) ONE(asinh) ONE(atanh) ONE(cbrt) ONE(erfc) ONE(erf) ONE(exp2) ONE(expm1) ONE(lgamma)\
  ONE(log1p) ONE(log2) ONE(logb) ONE(nearbyint) ONE(rint) ONE(round) ONE(tgamma) ONE(trunc)\
  TWO(copysign) TWO(fdim) TWO(fmax) TWO(fmin) TWO(hypot) TWO(nextafter) TWO(remainder)\
  out[n++] = fma(x, y, 3.0f); out[n++] = ilogb(x); out[n++] = lrint(x); out[n++] = llround(y); out[n++] = scalbn(x, 3);  \
  out[n++] = __bfloat162float(__float2bfloat16(x)); out[n++] = __bfloat162int_rn(__float2bfloat16(y));                   \
  out[n++] = __half2float(__float2half(x)); out[n++] = __half2int_ru(__float2half(y)); out[n++] = __half2int_rd(__float2half(y));

__global__ void onDevice(float x, float y, float* out) { MATHEMATICS }

void onHost(float x, float y, float* out) {
  using namespace std;
  MATHEMATICS
}

/// A few units in the last place; atanh of more than one is no number on either side.
bool alike(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= 4e-7f * std::fabs(b);
}

int main() {
  float *device, host[kAnswers];
  cudaMallocManaged(&device, sizeof host);
  int wrong = 0;
  for (float x : {0.75f, 1.25f, 7.5f})
    for (float y : {2.5f, -3.25f}) {
      for (int i = 0; i < kAnswers; ++i) device[i] = host[i] = -1;
      onDevice<<<1, 1>>>(x, y, device);
      if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) return std::puts("did not run"), 1;
      onHost(x, y, host);
      for (int i = 0; i < kAnswers; ++i)
        if (!alike(device[i], host[i])) std::printf("answer %d of (%g, %g): %.9g instead of %.9g\n", i, x, y, device[i], host[i]), ++wrong;
    }
  std::puts(wrong ? "wrong" : "ok");
  return wrong != 0;
}
