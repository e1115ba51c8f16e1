// SPDX-License-Identifier: Apache-2.0
/// Kernels of the kinds that numerical programs are made of, with nothing that clang or a CPU could not take:
///   validation small | large [REPEATS]
/// Launches each once; with REPEATS then times each so often by events and prints the median in nanoseconds.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "check.h"

constexpr int kBlock = 256;

__constant__ float weights[9];
__device__ float bias[64];
__device__ int calls[64];
__device__ float* table;

__global__ void validate_triad(const float* a, const float* b, float* c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] += a[i] + 3 * b[i];
}

__global__ void validate_stencil(const double* in, double* out, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x == 0 || y == 0 || x >= side - 1 || y >= side - 1) return;
  const size_t i = size_t(y) * side + x;
  out[i] = 0.2 * (in[i] + in[i - 1] + in[i + 1] + in[i - side] + in[i + side]);
}

/// One sum a block: shuffles inside warps, shared memory between them.
__global__ void validate_reduce(const float* in, float* sums, int count) {
  __shared__ float part[kBlock / 32];
  float sum = 0;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < count; i += gridDim.x * kBlock) sum += in[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 1; i < kBlock / 32; ++i) sum += part[i];
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void validate_histogram(const unsigned* keys, unsigned* counts, int count) {
  __shared__ unsigned own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&own[keys[i] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

__global__ void validate_bodies(const float4* bodies, float3* forces, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 self = bodies[i];
  float3 sum{0, 0, 0};
  for (int j = 0; j < count; ++j) {
    const float4 other = bodies[j];
    const float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    const float scale = other.w * inverse * inverse * inverse;
    sum.x += dx * scale, sum.y += dy * scale, sum.z += dz * scale;
  }
  forces[i] = sum;
}

__global__ void validate_functions(const double* in, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] += exp(-in[i]) * sin(in[i]) + sqrt(in[i] + 1) / log(in[i] + 2) + cbrt(in[i]);
}

__global__ void validate_single_functions(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = expf(-in[i]) * sinf(in[i]) + sqrtf(in[i] + 1) / logf(in[i] + 2) + powf(in[i], 0.3f);
}

constexpr int kTile = 16;

__global__ void validate_matrix(const float* a, const float* b, float* c, int side) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int tile = 0; tile < side; tile += kTile) {
    left[threadIdx.y][threadIdx.x] = a[y * side + tile + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * side + x];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[y * side + x] = sum;
}

/// Constants, a variable, and memory that only a variable points to.
__global__ void validate_variables(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = bias[i % 64];
  for (int k = 0; k < 9; ++k) sum += weights[k] * in[(i + k) % count];
  out[i] += sum + table[i % 1024];
  if (i < 64) calls[i] += 1;
}

struct Field {
  float* values;
  int count;
  short scale[3];
};

namespace {
template <typename T>
__global__ void validate_template(Field field, T step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < field.count) field.values[i] = field.values[i] * field.scale[i % 3] + step;
}
}  // namespace

static __global__ void validate_static(float* out, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) out[i] = out[i] * 0.5f + 1;
}

template <typename T>
T* filled(size_t count, unsigned seed) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<T>((i * 2654435761u + seed) % 1000) / 250;
  T* memory = nullptr;
  RT(cudaMalloc(&memory, count * sizeof(T)));
  RT(cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

struct Work {
  std::string name;
  std::function<void()> launch;
};

unsigned blocksFor(int count) { return (count + kBlock - 1) / kBlock; }

std::vector<Work> elementwise(int count) {
  float *a = filled<float>(count, 1), *b = filled<float>(count, 2), *c = filled<float>(count, 3);
  double *in = filled<double>(count / 2, 4), *out = filled<double>(count / 2, 5);
  return {{"validate_triad", [=] { validate_triad<<<blocksFor(count), kBlock>>>(a, b, c, count); }},
          {"validate_functions", [=] { validate_functions<<<blocksFor(count / 2), kBlock>>>(in, out, count / 2); }},
          {"validate_single_functions", [=] { validate_single_functions<<<blocksFor(count), kBlock>>>(a, c, count); }},
          {"validate_template_float",
           [=] { validate_template<float><<<blocksFor(count), kBlock>>>(Field{c, count, {1, 2, 3}}, 0.25f); }},
          {"validate_static", [=] { validate_static<<<64, kBlock>>>(c, count); }}};
}

std::vector<Work> structured(int count, int side, int bodies) {
  double *in = filled<double>(size_t(side) * side, 6), *out = filled<double>(size_t(side) * side, 7);
  float *matrix = filled<float>(size_t(side) * side, 8), *product = filled<float>(size_t(side) * side, 9);
  auto* keys = reinterpret_cast<unsigned*>(filled<float>(count, 10));
  float* sums = filled<float>(256, 11);
  auto* counts = reinterpret_cast<unsigned*>(filled<float>(64, 12));
  RT(cudaMemset(counts, 0, 64 * sizeof(unsigned)));
  auto* points = reinterpret_cast<float4*>(filled<float>(4 * bodies, 13));
  auto* forces = reinterpret_cast<float3*>(filled<float>(3 * bodies, 14));
  const dim3 tiles(side / kTile, side / kTile);
  return {{"validate_stencil", [=] { validate_stencil<<<dim3(blocksFor(side), side), kBlock>>>(in, out, side); }},
          {"validate_reduce",
           [=] { validate_reduce<<<128, kBlock>>>(reinterpret_cast<const float*>(keys), sums, count); }},
          {"validate_histogram", [=] { validate_histogram<<<128, kBlock>>>(keys, counts, count); }},
          {"validate_bodies", [=] { validate_bodies<<<blocksFor(bodies), kBlock>>>(points, forces, bodies); }},
          {"validate_matrix", [=] { validate_matrix<<<tiles, dim3(kTile, kTile)>>>(matrix, matrix, product, side); }}};
}

Work variables(int count) {
  std::vector<float> start(64, 0.5f);
  RT(cudaMemcpyToSymbol(weights, start.data(), sizeof weights));
  RT(cudaMemcpyToSymbol(bias, start.data(), sizeof bias));
  float* pointed = filled<float>(1024, 15);
  RT(cudaMemcpyToSymbol(table, &pointed, sizeof pointed));
  float *in = filled<float>(count, 16), *out = filled<float>(count, 17);
  return {"validate_variables", [=] { validate_variables<<<blocksFor(count), kBlock>>>(in, out, count); }};
}

/// From event to event on a stream that has work all the time: no launch overhead is in it.
float medianNanoseconds(const Work& work, int repeats) {
  std::vector<cudaEvent_t> events(repeats + 1);
  for (cudaEvent_t& event : events) RT(cudaEventCreate(&event));
  for (int i = 0; i < 3; ++i) work.launch();
  for (int i = 0; i <= repeats; ++i) {
    RT(cudaEventRecord(events[i]));
    if (i < repeats) work.launch();
  }
  RT(cudaDeviceSynchronize());
  std::vector<float> times(repeats);
  for (int i = 0; i < repeats; ++i) {
    RT(cudaEventElapsedTime(&times[i], events[i], events[i + 1]));
    times[i] *= 1e6f;
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[repeats / 2];
}

int main(int count, char** arguments) {
  const bool large = count > 1 && std::string(arguments[1]) == "large";
  const int repeats = count > 2 ? std::atoi(arguments[2]) : 0;
  const int elements = large ? 1 << 24 : 2000;
  std::vector<Work> all = elementwise(elements);
  for (Work& work : structured(elements, large ? 2048 : 48, large ? 8192 : 200)) all.push_back(std::move(work));
  all.push_back(variables(elements));
  for (const Work& work : all) {
    work.launch();
    RT(cudaDeviceSynchronize());
  }
  for (const Work& work : all)
    if (repeats > 0) std::printf("%s %.0f\n", work.name.c_str(), medianNanoseconds(work, repeats));
  std::printf("done\n");
  return 0;
}
