// SPDX-License-Identifier: Apache-2.0
/// The six kernels in CUDA.
#include "cases.h"

__global__ void vectorAdd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void stencil(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int at = y * n + x;
  out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
}
__global__ void matrixProduct(const float* a, const float* b, float* c, int n) {
  __shared__ float tileA[kTile][kTile], tileB[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  float sum = 0;
  for (int m = 0; m < n; m += kTile) {
    tileA[y][x] = a[row * n + m + x];
    tileB[y][x] = b[(m + y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void reduction(const float* in, float* out) {
  __shared__ float part[kBlock];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int d = kBlock / 2; d > 0; d /= 2) {
    if (t < d) part[t] += part[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void histogram(const int* in, int* bins, int n) {
  __shared__ int own[kBins];
  int t = threadIdx.x;
  own[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) atomicAdd(&own[in[i] & (kBins - 1)], 1);
  __syncthreads();
  atomicAdd(&bins[t], own[t]);
}
__global__ void bodies(const float4* at, float4* force, int n) {
  __shared__ float4 tile[kBlock];
  int i = blockIdx.x * kBlock + threadIdx.x;
  float4 own = at[i];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += kBlock) {
    tile[threadIdx.x] = at[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < kBlock; ++k) {
      float4 other = tile[k];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float pull = other.w * inverse * inverse * inverse;
      x += dx * pull, y += dy * pull, z += dz * pull;
    }
    __syncthreads();
  }
  force[i] = make_float4(x, y, z, 0);
}

template <typename T>
T* device(const std::vector<T>& values) {
  T* memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}
template <typename T>
std::vector<T> host(const T* memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

int main() {
  std::vector<float> values(kVector);
  std::vector<int> numbers(kVector);
  for (int i = 0; i < kVector; ++i) values[i] = input(i), numbers[i] = number(i);
  float *a = device(values), *b = device(values), *c = device(values);
  int *in = device(numbers), *bins = device(std::vector<int>(kBins));
  const dim3 plane(kPlane / 32, kPlane / 8), tiles(kMatrix / kTile, kMatrix / kTile);
  measure("vector_add", [&] { vectorAdd<<<kVector / kBlock, kBlock>>>(a, b, c, kVector); cudaDeviceSynchronize(); }, [&] { return total(host(c, kVector)); });
  measure("stencil", [&] { stencil<<<plane, dim3(32, 8)>>>(a, c, kPlane); cudaDeviceSynchronize(); }, [&] { return total(host(c, kPlane * kPlane)); });
  measure("matrix_product", [&] { matrixProduct<<<tiles, dim3(kTile, kTile)>>>(a, b, c, kMatrix); cudaDeviceSynchronize(); },
          [&] { return total(host(c, kMatrix * kMatrix)); });
  measure("reduction", [&] { reduction<<<kVector / kBlock, kBlock>>>(a, c); cudaDeviceSynchronize(); }, [&] { return total(host(c, kVector / kBlock)); });
  measure("histogram", [&] { histogram<<<64, kBins>>>(in, bins, kVector); cudaDeviceSynchronize(); }, [&] { return 1.0 * host(bins, kBins)[7]; });
  measure("n_body", [&] { bodies<<<kBodies / kBlock, kBlock>>>((float4*)a, (float4*)c, kBodies); cudaDeviceSynchronize(); },
          [&] { return total(host(c, kBodies * 4)); });
  return cudaGetLastError();
}
