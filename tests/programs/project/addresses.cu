// SPDX-License-Identifier: Apache-2.0
/// Kernels that leave addresses in memory which another process has elsewhere, and one, in the same module, that does not:
/// a function pointer in a device variable is not this one's affair.
#include "check.h"

using Step = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ Step chosen = twice;

struct Shape {
  __device__ virtual float area() const { return 3; }
};
struct Square : Shape {
  __device__ float area() const override { return 4; }
};

__global__ void plain(float* a) { a[threadIdx.x] += 1; }
__global__ void through_variable(float* a) { a[threadIdx.x] = chosen(a[threadIdx.x]); }
__global__ void stores_function(void** out) { out[0] = reinterpret_cast<void*>(chosen == twice ? twice : nullptr); }
__global__ void stores_text(const void** out) { out[1] = "text"; }
__global__ void stores_shared(void** out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (tile[31 - threadIdx.x] == 0) out[2] = &tile[0];
}
__global__ void stores_local(void** out, int n) {
  int local[4] = {n, n, n, n};
  out[3] = &local[n];
}
__global__ void stores_heap(void** out) { out[4] = malloc(64); }
__global__ void reads_heap(void** out, int* sum) { *sum = *static_cast<int*>(out[4]) >= 0; }
__global__ void stores_object(Square* object) { new (object) Square; }

int main() {
  float* a;
  void** out;
  Square* object;
  check(cudaMalloc(&a, 32 * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&out, 8 * sizeof(void*)), "cudaMalloc");
  check(cudaMalloc(&object, sizeof *object), "cudaMalloc");
  check(cudaMemset(a, 0, 32 * sizeof(float)), "cudaMemset");
  const auto clear = [&] { check(cudaMemset(out, 0, 8 * sizeof(void*)), "cudaMemset"); };
  clear();
  plain<<<1, 32>>>(a);
  through_variable<<<1, 32>>>(a);
  stores_function<<<1, 1>>>(out);
  clear();
  stores_text<<<1, 1>>>(const_cast<const void**>(out));
  clear();
  stores_shared<<<1, 32>>>(out);
  clear();
  stores_local<<<1, 1>>>(out, 2);
  clear();
  stores_heap<<<1, 1>>>(out);
  reads_heap<<<1, 1>>>(out, reinterpret_cast<int*>(a));
  stores_object<<<1, 1>>>(object);
  return finish(cudaDeviceSynchronize() == cudaSuccess);
}
