// SPDX-License-Identifier: Apache-2.0
// A CUDA program as users write them, run on the host device: exits with the number of wrong answers.
#include <cstdio>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

static int wrong = 0;
#define EXPECT(condition)                                                  \
  do {                                                                     \
    if (!(condition)) std::printf("line %d: %s\n", __LINE__, #condition), ++wrong; \
  } while (0)

__constant__ float factor;
__device__ int counter = 5;

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] * factor;
}

__global__ void count(unsigned long long* total, int* largest, double* sum) {
  atomicAdd(total, 1ull);
  atomicMax(largest, (int)(blockIdx.x * blockDim.x + threadIdx.x));
  atomicAdd(sum, 0.5);
  if (threadIdx.x == 0) atomicAdd(&counter, 1);
}

__global__ void reverse(int* values) {
  extern __shared__ int staged[];
  staged[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

__global__ void halves(const half* in, half* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[i] * in[i] + __float2half(1.0f);
}

__global__ void stop() { __trap(); }

template <typename T>
static T* onDevice(const std::vector<T>& values) {
  T* pointer = nullptr;
  EXPECT(cudaMalloc(&pointer, values.size() * sizeof(T)) == cudaSuccess);
  EXPECT(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
  return pointer;
}

template <typename T>
static std::vector<T> fromDevice(const T* pointer, size_t count) {
  std::vector<T> values(count);
  EXPECT(cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
  return values;
}

static void testSaxpyWithConstant() {
  const int n = 1000;
  float half = 0.5f;
  EXPECT(cudaMemcpyToSymbol(factor, &half, sizeof half) == cudaSuccess);
  float* x = onDevice(std::vector<float>(n, 3.0f));
  float* y = onDevice(std::vector<float>(n, 4.0f));
  saxpy<<<(n + 127) / 128, 128>>>(n, 2.0f, x, y);
  EXPECT(cudaGetLastError() == cudaSuccess);
  for (float value : fromDevice(y, n)) EXPECT(value == 8.0f);
}

static void testAtomics() {
  auto* total = onDevice(std::vector<unsigned long long>{0});
  auto* largest = onDevice(std::vector<int>{-1});
  auto* sum = onDevice(std::vector<double>{0});
  count<<<7, 96>>>(total, largest, sum);
  EXPECT(fromDevice(total, 1)[0] == 7 * 96);
  EXPECT(fromDevice(largest, 1)[0] == 7 * 96 - 1);
  EXPECT(fromDevice(sum, 1)[0] == 7 * 48);
  int counted = 0;
  EXPECT(cudaMemcpyFromSymbol(&counted, counter, sizeof counted) == cudaSuccess);
  EXPECT(counted == 12);
}

static void testSharedMemory() {
  std::vector<int> values(256);
  for (int i = 0; i < 256; ++i) values[i] = i;
  int* device = onDevice(values);
  reverse<<<1, 256, 256 * sizeof(int)>>>(device);
  auto back = fromDevice(device, 256);
  for (int i = 0; i < 256; ++i) EXPECT(back[i] == 255 - i);
}

static void testHalves() {
  std::vector<half> values{half(1.5f), half(-2.0f), half(300.0f)};
  half* in = onDevice(values);
  half* out = onDevice(values);
  halves<<<1, 32>>>(in, out, 3);
  auto back = fromDevice(out, 3);
  EXPECT((float)back[0] == 3.25f);
  EXPECT((float)back[1] == 5.0f);
  EXPECT((float)back[2] > 65504.0f);
}

static void testTrap() {
  stop<<<1, 1>>>();
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  EXPECT(cudaGetLastError() == cudaErrorLaunchFailure);
}

int main() {
  testSaxpyWithConstant();
  testAtomics();
  testSharedMemory();
  testHalves();
  testTrap();
  return wrong;
}
