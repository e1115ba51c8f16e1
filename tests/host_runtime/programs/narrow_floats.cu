// SPDX-License-Identifier: Apache-2.0
// half and bfloat16 on the host device: atomics, shuffles and cached loads. Exits with the number of wrong answers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

template <class T, class Pair>
__global__ void work(const T* in, T* sum, Pair* pairs, float* shuffled) {
  const T own = __ldg(in + threadIdx.x);
  atomicAdd(sum, own);
  atomicAdd(pairs, Pair{own, own});
  const Pair next = __shfl_down_sync(0xffffffffu, Pair{own, own}, 1);
  shuffled[threadIdx.x] = float(__shfl_xor_sync(0xffffffffu, own, 1)) + float(next.y);
}

template <class T, class Pair>
int check(const char* name) {
  T *in = nullptr, *sum = nullptr;
  Pair* pairs = nullptr;
  float* shuffled = nullptr;
  cudaMallocManaged(&in, 32 * sizeof(T));
  cudaMallocManaged(&sum, sizeof(T));
  cudaMallocManaged(&pairs, sizeof(Pair));
  cudaMallocManaged(&shuffled, 32 * sizeof(float));
  for (int i = 0; i < 32; ++i) in[i] = T(float(i % 4));
  *sum = T(0.0f);
  *pairs = Pair{T(0.0f), T(0.0f)};
  work<<<1, 32>>>(in, sum, pairs, shuffled);
  if (cudaDeviceSynchronize() != cudaSuccess) return std::printf("%s: the kernel failed\n", name), 1;
  int wrong = float(*sum) != 48 || float(pairs->x) != 48 || float(pairs->y) != 48;
  for (int i = 0; i < 31; ++i) wrong += shuffled[i] != float((i ^ 1) % 4) + float((i + 1) % 4);
  if (wrong) std::printf("%s: %d wrong answers\n", name, wrong);
  return wrong;
}

int main() { return check<__half, __half2>("half") + check<__nv_bfloat16, __nv_bfloat162>("bfloat16"); }
