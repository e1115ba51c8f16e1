// SPDX-License-Identifier: Apache-2.0
/// A texture object over an array. To be refused by name, never recorded wrong.
#include <cstdio>

__global__ void sample(cudaTextureObject_t texture, float* out) { out[threadIdx.x] = tex1D<float>(texture, threadIdx.x + 0.5f); }

int main() {
  float values[32], result[32], *out;
  for (int i = 0; i < 32; ++i) values[i] = 3.0f * i;
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 32);
  cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  cudaMalloc(&out, sizeof result);
  sample<<<1, 32>>>(texture, out);
  cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("texture %s\n", result[31] == 93.0f ? "correct" : "wrong");
}
