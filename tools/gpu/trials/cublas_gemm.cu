// SPDX-License-Identifier: Apache-2.0
/// A cuBLAS matrix product: kernels of a closed library.
#include <cublas_v2.h>

#include <cstdio>
#include <vector>

int main() {
  const int n = 256;
  std::vector<float> host(n * n, 0.5f);
  float *a, *b, *c;
  for (float** m : {&a, &b, &c}) cudaMalloc(m, host.size() * sizeof(float));
  cudaMemcpy(a, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  cublasHandle_t handle;
  const float one = 1, zero = 0;
  cublasCreate(&handle);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
  cudaMemcpy(host.data(), c, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("gemm %s\n", host[17] == n * 0.25f ? "correct" : "wrong");
  cublasDestroy(handle);
}
