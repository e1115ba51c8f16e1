// SPDX-License-Identifier: Apache-2.0
// Kernels that use more than memory of the program's, and some that do not. real_cubin_test.cpp knows each by name.
#include <cstdio>
#include <cstdlib>

struct Both {
  float* out;
  cudaSurfaceObject_t surface;
};

__device__ __noinline__ float sampled(cudaTextureObject_t texture) { return tex2D<float>(texture, 0.5f, 1.5f); }
__device__ __noinline__ void* allocated(int bytes) { return malloc(bytes); }
__constant__ cudaTextureObject_t constantTexture;

extern "C" {
__global__ void samples(cudaTextureObject_t texture, float* out) { *out = tex1D<float>(texture, threadIdx.x); }
__global__ void fetches(cudaTextureObject_t* textures, float* out) { *out = tex1Dfetch<float>(textures[threadIdx.x], 7); }
__global__ void gathers(cudaTextureObject_t texture, float4* out) { *out = tex2Dgather<float4>(texture, 0.f, 1.f, 2); }
__global__ void samplesInAFunction(cudaTextureObject_t texture, float* out) { *out = sampled(texture); }
__global__ void samplesAConstant(float* out) { *out = tex3D<float>(constantTexture, 0.f, 1.f, 2.f); }
__global__ void readsASurface(Both both) { *both.out = surf2Dread<float>(both.surface, 4, 1); }
__global__ void writesASurface(cudaSurfaceObject_t surface, int value) { surf1Dwrite(value, surface, 4 * threadIdx.x); }
__global__ void allocates(void** out) { *out = malloc(16); }
__global__ void frees(void* memory) { free(memory); }
__global__ void makes(int** out) { *out = new int[3]; }
__global__ void allocatesInAFunction(void** out) { *out = allocated(8); }
__global__ void prints(int n) { printf("%d\n", n); }
__global__ void sums(unsigned long long n, double* out) {
  __shared__ double part[32];
  part[threadIdx.x] = out[threadIdx.x] / n;
  __syncthreads();
  atomicAdd(out, sqrt(part[31 - threadIdx.x]) + __shfl_xor_sync(~0u, part[0], 1));
}
}
