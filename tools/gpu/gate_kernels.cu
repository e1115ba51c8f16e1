// SPDX-License-Identifier: Apache-2.0
/// Kernels from 5 us to 5 ms for tools/gpu/gate.sh. Built with -DEXTRA=20 they do 2 % more work and give the same answer:
/// loops run longer, memory is read and written again; nothing is scaled.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef EXTRA
#define EXTRA 0  // per mille of a kernel's time
#endif

#define RT(call)                                                                        \
  do {                                                                                  \
    const cudaError_t result = (call);                                                  \
    if (result != cudaSuccess) {                                                        \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result));              \
      std::exit(3);                                                                     \
    }                                                                                   \
  } while (false)

/// How much of `work` makes a kernel longer by EXTRA, where the work is `share` percent of its time.
__device__ constexpr int extraOf(int work, int share) { return static_cast<int>(static_cast<long long>(work) * EXTRA / (10LL * share)); }

constexpr int kBlocks = 132 * 8, kThreads = 256;

__device__ float chain(float x, int steps) {
  for (int i = 0; i < steps; ++i) x = fmaf(x, 0.999f, 0.5f);
  return x;
}

/// A chain of multiplications and additions; the extra ones' result is used only where it is what it never is.
template <int Share>
__device__ void arithmetic(const float* in, float* out, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = chain(in[i], steps);
  out[i] = x;
  if (EXTRA > 0) {
    const float more = chain(x, extraOf(steps, Share));
    if (more == -12345.0f) out[i] = more;
  }
}

__global__ void gate_fma_5us(const float* in, float* out, int steps) { arithmetic<55>(in, out, steps); }
__global__ void gate_fma_83us(const float* in, float* out, int steps) { arithmetic<97>(in, out, steps); }
__global__ void gate_fma_5ms(const float* in, float* out, int steps) { arithmetic<100>(in, out, steps); }

template <typename Element>
__device__ void forEach(int count, int share, Element element) {
  const int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < count; i += step) element(i);
  if (EXTRA > 0)
    for (int i = first, more = extraOf(count, share); i < more; i += step) element(i);
}

__global__ void gate_copy_8us(const float4* in, float4* out, int count) {
  forEach(count, 60, [=](int i) { out[i] = in[i]; });
}

__global__ void gate_stencil_25us(const float* in, float* out, int width, int count) {
  forEach(count, 90, [=](int i) {
    out[i] = i < width || i >= count - width ? in[i] : 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
  });
}

__global__ void gate_triad_55us(const float4* a, const float4* b, float4* c, int count) {
  forEach(count, 95, [=](int i) {
    const float4 x = a[i], y = b[i];
    c[i] = {x.x + 3 * y.x, x.y + 3 * y.y, x.z + 3 * y.z, x.w + 3 * y.w};
  });
}

__global__ void gate_gather_300us(const int* index, const float* data, float* out, int count) {
  forEach(count, 98, [=](int i) { out[i] = data[index[i]]; });
}

/// Sums of a block over and over, through shared memory and barriers.
__device__ float sumsOfBlock(float x, int rounds, float* part) {
  for (int round = 0; round < rounds; ++round) {
    part[threadIdx.x] = x;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
      __syncthreads();
    }
    x = fmaf(x, 0.5f, part[0] * (0.5f / kThreads));
    __syncthreads();
  }
  return x;
}

__global__ void gate_reduce_1ms(const float* in, float* out, int rounds) {
  __shared__ float part[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float x = sumsOfBlock(in[i], rounds, part);
  out[i] = x;
  if (EXTRA > 0) {
    const float more = sumsOfBlock(x, extraOf(rounds, 100), part);
    if (more == -12345.0f) out[i] = more;
  }
}

template <typename T>
T* upload(size_t count, T (*value)(size_t)) {
  std::vector<T> host(count);
  for (size_t i = 0; i < count; ++i) host[i] = value(i);
  T* device = nullptr;
  RT(cudaMalloc(&device, count * sizeof(T)));
  RT(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <typename T>
T* zeroed(size_t count) {
  T* device = nullptr;
  RT(cudaMalloc(&device, count * sizeof(T)));
  RT(cudaMemset(device, 0, count * sizeof(T)));
  return device;
}

/// Once to warm up, then timed: the median of so many launches by events.
template <typename Launch>
void run(const char* name, int repeats, Launch launch) {
  launch();
  RT(cudaDeviceSynchronize());
  if (repeats == 0) return;
  cudaEvent_t begin, end;
  RT(cudaEventCreate(&begin));
  RT(cudaEventCreate(&end));
  RT(cudaEventRecord(begin));
  for (int i = 0; i < repeats; ++i) launch();
  RT(cudaEventRecord(end));
  RT(cudaEventSynchronize(end));
  float milliseconds = 0;
  RT(cudaEventElapsedTime(&milliseconds, begin, end));
  std::printf("%s %.3f us\n", name, 1e3 * milliseconds / repeats);
}

int main(int count, char** words) {
  const int repeats = count > 1 ? std::atoi(words[1]) : 0;
  const int quads = 4 << 20, floats = 16 << 20;
  const auto small = +[](size_t i) { return 0.001f * static_cast<float>(i % 1000); };
  const auto quad = +[](size_t i) { return float4{float(i % 7), float(i % 11), float(i % 13), float(i % 17)}; };
  const float* in = upload<float>(floats, small);
  float* out = zeroed<float>(floats);
  const float4 *a = upload<float4>(quads, quad), *b = upload<float4>(quads, quad);
  float4* c = zeroed<float4>(quads);
  const int* index = upload<int>(floats, +[](size_t i) { return static_cast<int>(i * 2654435761u % (16u << 20)); });

  run("gate_fma_5us", repeats, [&] { gate_fma_5us<<<132, kThreads>>>(in, out, 1300); });
  run("gate_copy_8us", repeats, [&] { gate_copy_8us<<<kBlocks, kThreads>>>(a, c, quads / 8); });
  run("gate_stencil_25us", repeats, [&] { gate_stencil_25us<<<kBlocks, kThreads>>>(in, out, 4096, floats / 2); });
  run("gate_triad_55us", repeats, [&] { gate_triad_55us<<<kBlocks, kThreads>>>(a, b, c, quads); });
  run("gate_fma_83us", repeats, [&] { gate_fma_83us<<<132, kThreads>>>(in, out, 38000); });
  run("gate_gather_300us", repeats, [&] { gate_gather_300us<<<kBlocks, kThreads>>>(index, in, out, floats); });
  run("gate_reduce_1ms", repeats, [&] { gate_reduce_1ms<<<kBlocks, kThreads>>>(in, out, 1200); });
  run("gate_fma_5ms", repeats, [&] { gate_fma_5ms<<<132, kThreads>>>(in, out, 2400000); });
  return 0;
}
