// SPDX-License-Identifier: Apache-2.0
/// Two host threads launch at once, each on a stream and memory of its own.
#include <thread>
#include <vector>

#include "check.h"

__global__ void addOne(unsigned* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

__global__ void addTwo(unsigned* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 2;
}

template <typename Kernel>
void work(Kernel kernel, bool* good, unsigned step) {
  const int n = 5000, launches = 50;
  unsigned* x = nullptr;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream), "stream");
  check(cudaMalloc(&x, n * sizeof *x), "malloc");
  check(cudaMemsetAsync(x, 0, n * sizeof *x, stream), "memset");
  for (int i = 0; i < launches; ++i) kernel<<<(n + 127) / 128, 128, 0, stream>>>(x, n);
  std::vector<unsigned> result(n);
  check(cudaMemcpyAsync(result.data(), x, n * sizeof *x, cudaMemcpyDeviceToHost, stream), "copy");
  check(cudaStreamSynchronize(stream), "synchronize");
  *good = true;
  for (unsigned v : result) *good = *good && v == launches * step;
}

int main() {
  bool first = false, second = false;
  std::thread a([&] { work(addOne, &first, 1); }), b([&] { work(addTwo, &second, 2); });
  a.join();
  b.join();
  return finish(first && second);
}
