// SPDX-License-Identifier: Apache-2.0
/// Texture objects over linear memory, pitched memory and arrays: filters, address modes, normalised coordinates, read modes.
#include <cmath>
#include <cstdio>
#include <vector>

static int failures = 0;
static void expect(bool holds, const char* what) {
  if (!holds) std::printf("not so: %s\n", what), ++failures;
}
static bool near(float a, float b) { return std::fabs(a - b) < 1e-5f; }

__global__ void sample1(cudaTextureObject_t t, const float* x, float* out) { out[threadIdx.x] = tex1D<float>(t, x[threadIdx.x]); }
__global__ void fetch1(cudaTextureObject_t t, int first, int4* out) { out[threadIdx.x] = tex1Dfetch<int4>(t, first + static_cast<int>(threadIdx.x)); }
__global__ void sample2(cudaTextureObject_t t, const float2* at, float* out) { out[threadIdx.x] = tex2D<float>(t, at[threadIdx.x].x, at[threadIdx.x].y); }
__global__ void bytes2(cudaTextureObject_t t, uchar4* out) { out[threadIdx.x] = tex2D<uchar4>(t, threadIdx.x + 0.5f, 1.5f); }
__global__ void real2(cudaTextureObject_t t, float4* out) { out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 1.5f); }
__global__ void sample3(cudaTextureObject_t t, float3 at, float* out) { *out = tex3D<float>(t, at.x, at.y, at.z); }

template <class T>
static T* device(const std::vector<T>& values) {
  T* memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}
template <class T>
static std::vector<T> host(const T* memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

static cudaTextureDesc rules(cudaTextureAddressMode address, cudaTextureFilterMode filter, bool normalized) {
  cudaTextureDesc result = {};
  for (auto& mode : result.addressMode) mode = address;
  result.filterMode = filter, result.normalizedCoords = normalized;
  return result;
}

static cudaTextureObject_t over(cudaArray_t array, const cudaTextureDesc& description) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaTextureObject_t object = 0;
  expect(cudaCreateTextureObject(&object, &resource, &description, nullptr) == cudaSuccess, "an object over an array");
  return object;
}

static void lines() {
  const std::vector<float> texels = {10, 20, 40, 80};
  cudaArray_t array = nullptr;
  auto format = cudaCreateChannelDesc<float>();
  expect(cudaMallocArray(&array, &format, 4) == cudaSuccess, "an array of one dimension");
  cudaMemcpy2DToArray(array, 0, 0, texels.data(), 16, 16, 1, cudaMemcpyHostToDevice);
  auto at = [&](cudaTextureDesc description, std::vector<float> x) {
    auto object = over(array, description);
    float *in = device(x), *out = device(x);
    sample1<<<1, x.size()>>>(object, in, out);
    expect(cudaDeviceSynchronize() == cudaSuccess, "a kernel that samples");
    auto result = host(out, x.size());
    cudaFree(in), cudaFree(out);
    expect(cudaDestroyTextureObject(object) == cudaSuccess, "the object's end");
    return result;
  };
  auto point = at(rules(cudaAddressModeClamp, cudaFilterModePoint, false), {0, 0.9f, 1, 3.5f, -2, 9});
  expect(point == std::vector<float>({10, 10, 20, 80, 10, 80}), "points, clamped");
  auto linear = at(rules(cudaAddressModeClamp, cudaFilterModeLinear, false), {0, 1, 1.25f, 3.75f, 2.5f});
  expect(near(linear[0], 10) && near(linear[1], 15) && near(linear[2], 17.5f) && near(linear[3], 80) && near(linear[4], 40), "linear, clamped");
  auto wrapped = at(rules(cudaAddressModeWrap, cudaFilterModePoint, true), {0.1f, 1.1f, -0.1f, 2.6f});
  expect(wrapped == std::vector<float>({10, 10, 80, 40}), "wrapped");
  auto edge = at(rules(cudaAddressModeWrap, cudaFilterModeLinear, true), {0, 1});
  expect(near(edge[0], 45) && near(edge[1], 45), "linear over the wrap");
  auto mirrored = at(rules(cudaAddressModeMirror, cudaFilterModePoint, true), {1.1f, -0.1f, 1.9f, -0.9f});
  expect(mirrored == std::vector<float>({80, 10, 10, 80}), "mirrored");
  auto bordered = rules(cudaAddressModeBorder, cudaFilterModeLinear, false);
  bordered.borderColor[0] = 4;
  auto outside = at(bordered, {-1, 0, 4, 2});
  expect(near(outside[0], 4) && near(outside[1], 7) && near(outside[2], 42) && near(outside[3], 30), "a border with a colour");
  expect(cudaFreeArray(array) == cudaSuccess && cudaFreeArray(array) == cudaErrorInvalidResourceHandle, "the array's end, once");
}

static void linearMemory() {
  std::vector<int4> texels(5);
  for (int i = 0; i < 5; ++i) texels[i] = {i, -i, i * 100, 7};
  int4 *memory = device(texels), *out = device(std::vector<int4>(8));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {memory, cudaCreateChannelDesc<int4>(), 5 * sizeof(int4)};
  cudaTextureDesc description = {};
  cudaTextureObject_t object = 0;
  expect(cudaCreateTextureObject(&object, &resource, &description, nullptr) == cudaSuccess, "an object over linear memory");
  fetch1<<<1, 8>>>(object, -1, out);
  auto result = host(out, 8);
  expect(result[0].w == 0 && result[6].x == 0, "zeros outside");
  expect(result[1].x == 0 && result[4].x == 3 && result[4].y == -3 && result[4].z == 300 && result[4].w == 7, "whole numbers");
}

static void planes() {
  const int width = 5, height = 3;
  std::vector<uchar4> texels(width * height);
  for (int i = 0; i < width * height; ++i) texels[i] = {static_cast<unsigned char>(i * 17), 255, 0, 51};
  uchar4* memory = nullptr;
  size_t pitch = 0;
  cudaMallocPitch(&memory, &pitch, width * sizeof(uchar4), height);
  cudaMemcpy2D(memory, pitch, texels.data(), width * sizeof(uchar4), width * sizeof(uchar4), height, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {memory, cudaCreateChannelDesc<uchar4>(), width, height, pitch};
  auto description = rules(cudaAddressModeClamp, cudaFilterModePoint, false);
  cudaTextureObject_t object = 0, normalized = 0;
  expect(cudaCreateTextureObject(&object, &resource, &description, nullptr) == cudaSuccess, "an object over pitched memory");
  uchar4* bytes = device(std::vector<uchar4>(width));
  bytes2<<<1, width>>>(object, bytes);
  auto raw = host(bytes, width);
  expect(raw[2].x == 7 * 17 && raw[2].y == 255 && raw[4].w == 51, "bytes as they are");
  description.filterMode = cudaFilterModeLinear;
  expect(cudaCreateTextureObject(&normalized, &resource, &description, nullptr) == cudaErrorInvalidFilterSetting, "whole numbers are not filtered");
  description.readMode = cudaReadModeNormalizedFloat;
  expect(cudaCreateTextureObject(&normalized, &resource, &description, nullptr) == cudaSuccess, "but as fractions they are");
  float4* fractions = device(std::vector<float4>(width));
  real2<<<1, width>>>(normalized, fractions);
  auto real = host(fractions, width);
  expect(near(real[2].x, 7 * 17 / 255.0f) && near(real[2].y, 1) && near(real[4].w, 0.2f), "bytes as fractions");
}

static void volumes() {
  std::vector<float> texels(2 * 3 * 4);
  for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
  cudaArray_t array = nullptr, plane = nullptr;
  auto format = cudaCreateChannelDesc<float>();
  expect(cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 3, 4)) == cudaSuccess, "an array of three dimensions");
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), 2 * sizeof(float), 2, 3);
  copy.dstArray = array, copy.extent = make_cudaExtent(2, 3, 4), copy.kind = cudaMemcpyHostToDevice;
  expect(cudaMemcpy3D(&copy) == cudaSuccess, "a copy into it");
  float* out = device(std::vector<float>(2));
  sample3<<<1, 1>>>(over(array, rules(cudaAddressModeClamp, cudaFilterModePoint, false)), make_float3(1.5f, 2.5f, 3.5f), out);
  expect(host(out, 1)[0] == 23, "a point of a volume");
  sample3<<<1, 1>>>(over(array, rules(cudaAddressModeClamp, cudaFilterModeLinear, false)), make_float3(1, 1.5f, 2), out);
  expect(near(host(out, 1)[0], 2 + 0.5f + 9), "between eight texels");
  expect(cudaMallocArray(&plane, &format, 2, 3) == cudaSuccess, "a plane");
  expect(cudaMemcpy2DToArray(plane, 0, 0, texels.data(), 8, 8, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue, "a copy past its end");
  expect(cudaMemcpy2DToArray(plane, 0, 0, texels.data(), 8, 8, 3, cudaMemcpyHostToDevice) == cudaSuccess, "a copy that fits");
  float2* at = device(std::vector<float2>({{1, 1.5f}, {0.5f, 2.5f}}));
  sample2<<<1, 2>>>(over(plane, rules(cudaAddressModeClamp, cudaFilterModeLinear, false)), at, out);
  auto result = host(out, 2);
  expect(near(result[0], 2.5f) && near(result[1], 4), "between texels of a plane");
  std::vector<float> back(6);
  expect(cudaMemcpy2DFromArray(back.data(), 8, plane, 0, 0, 8, 3, cudaMemcpyDeviceToHost) == cudaSuccess && back[5] == 5, "a copy out of it");
}

int main() {
  lines();
  linearMemory();
  planes();
  volumes();
  return failures;
}
