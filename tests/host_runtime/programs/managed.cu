// SPDX-License-Identifier: Apache-2.0
/// __managed__ variables: both sides read and write one memory, initial values included.
#include <cstdio>

struct Pair {
  int a;
  double b;
};

__managed__ int counter = 5;
__device__ __managed__ Pair pair = {3, 0.5};
static __managed__ float table[64];
__managed__ int* pointer;
__device__ int plain = 7;

__global__ void step(int rounds) {
  const int t = threadIdx.x;
  table[t] += t + plain;
  if (t == 0) {
    counter += rounds;
    pair.b *= 2;
    if (pointer) *pointer = pair.a;
  }
}

static int failures = 0;
static void expect(bool holds, const char* what) {
  if (!holds) std::printf("not so: %s\n", what), ++failures;
}

int main() {
  expect(counter == 5 && pair.a == 3 && pair.b == 0.5 && table[63] == 0 && pointer == nullptr, "initial values");
  table[1] = 100;
  pair.a = 11;
  cudaMallocManaged(&pointer, sizeof(int));
  step<<<1, 64>>>(10);
  expect(cudaDeviceSynchronize() == cudaSuccess, "the launch");
  expect(counter == 15, "what the kernel added");
  expect(table[1] == 108 && table[63] == 70, "a table that both wrote");
  expect(pair.b == 1 && *pointer == 11, "a structure, and a pointer that the program set");
  int value = 40, back = 0;
  expect(cudaMemcpyToSymbol(counter, &value, sizeof value) == cudaSuccess && counter == 40, "cudaMemcpyToSymbol");
  expect(cudaMemcpyFromSymbol(&back, counter, sizeof back) == cudaSuccess && back == 40, "cudaMemcpyFromSymbol");
  void* address = nullptr;
  expect(cudaGetSymbolAddress(&address, counter) == cudaSuccess && address == &counter, "one address");
  return failures;
}
