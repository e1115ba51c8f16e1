// SPDX-License-Identifier: Apache-2.0
/// One kernel per way to launch; the kernel's name says which.
#include <cooperative_groups.h>

#include <string>
#include <thread>

#include "check.h"

namespace groups = cooperative_groups;

constexpr int kCount = 20000;
constexpr size_t kBytes = kCount * sizeof(float);

#define BODY                                            \
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  \
  if (i < count) out[i] += 1 + (i % 3)

extern "C" {
__global__ void launch_plain(float* out, int count) { BODY; }
__global__ void launch_stream(float* out, int count) { BODY; }
__global__ void launch_thread(float* out, int count) { BODY; }
__global__ void launch_attributes(float* out, int count) { BODY; }
__global__ void launch_carveout(float* out, int count) { BODY; }
__global__ void launch_programmatic(float* out, int count) { BODY; }
__global__ void launch_driver(float* out, int count) { BODY; }
__global__ void launch_buffer(float* out, int count) { BODY; }
__global__ void launch_graph(float* out, int count) { BODY; }
__global__ void launch_during_capture(float* out, int count) { BODY; }
__global__ void launch_after_capture(float* out, int count) { BODY; }

__global__ void launch_shared(float* out, int count) {
  extern __shared__ float scratch[];
  scratch[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] += scratch[blockDim.x - 1 - threadIdx.x];
}

__global__ void launch_cooperative(float* out, int count) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) out[i] += 1;
  groups::this_grid().sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) out[i] += out[(i + 1) % count] > 0 ? 2 : 0;
}

/// Begins before the kernel ahead of it in the stream has ended, and waits for it here.
__global__ void launch_overlapped(float* out, int count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  BODY;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void launch_cluster(float* out, int count) {
  groups::this_cluster().sync();
  BODY;
}
#endif
}

float* fresh() {
  float* memory = nullptr;
  RT(cudaMalloc(&memory, kBytes));
  RT(cudaMemset(memory, 0, kBytes));
  return memory;
}

constexpr int kBlocks = (kCount + 255) / 256;

void runtimeForms() {
  float* out = fresh();
  launch_plain<<<kBlocks, 256>>>(out, kCount);
  cudaStream_t stream;
  RT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  RT(cudaDeviceSynchronize());
  launch_stream<<<kBlocks, 256, 0, stream>>>(out, kCount);
  RT(cudaStreamSynchronize(stream));
  std::thread([&] {
    launch_thread<<<kBlocks, 256, 0, cudaStreamPerThread>>>(out, kCount);
    RT(cudaStreamSynchronize(cudaStreamPerThread));
  }).join();
  RT(cudaFuncSetAttribute(launch_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  launch_shared<<<kBlocks, 256, 60 * 1024>>>(out, kCount);
  RT(cudaFuncSetAttribute(launch_carveout, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  launch_carveout<<<kBlocks, 256>>>(out, kCount);
  RT(cudaDeviceSynchronize());
  printDeviceSum("runtime forms", out, kCount);
}

void withAttributes() {
  float* out = fresh();
  int count = kCount;
  cudaLaunchConfig_t config{};
  config.gridDim = kBlocks;
  config.blockDim = 256;
  cudaLaunchAttribute attributes[2]{};
  config.attrs = attributes;
  config.numAttrs = 1;
  attributes[0].id = cudaLaunchAttributePriority;
  attributes[0].val.priority = 0;
  RT(cudaLaunchKernelEx(&config, launch_attributes, out, count));
  void* arguments[] = {&out, &count};
  RT(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(launch_cooperative), dim3(16), dim3(256), arguments, 0,
                                 nullptr));
  cudaDeviceProp properties{};
  RT(cudaGetDeviceProperties(&properties, 0));
  if (properties.major >= 9) {
    config.gridDim = (kBlocks + 3) / 4 * 4;
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = 4;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    RT(cudaLaunchKernelEx(&config, launch_cluster, out, count));
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    RT(cudaLaunchKernelEx(&config, launch_programmatic, out, count));
    RT(cudaLaunchKernelEx(&config, launch_overlapped, out, count));
  }
  RT(cudaDeviceSynchronize());
  printDeviceSum("attributes", out, kCount);
}

void driverForms() {
  float* out = fresh();
  int count = kCount;
  cudaFunction_t function;
  RT(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(launch_driver)));
  void* arguments[] = {&out, &count};
  DRV(cuLaunchKernel(function, kBlocks, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  struct {
    float* out;
    int count;
  } packed{out, count};
  size_t size = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  RT(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(launch_buffer)));
  DRV(cuLaunchKernel(function, kBlocks, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  RT(cudaDeviceSynchronize());
  printDeviceSum("driver forms", out, kCount);
}

/// Code that the program loads itself, as text: a module's function and a library's kernel.
constexpr char kText[] = R"ptx(.version 7.0
.target sm_75
.address_size 64
.visible .entry NAME(.param .u64 out)
{
  .reg .b64 %rd<5>;
  .reg .b32 %r<5>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  add.s32 %r3, %r2, 3;
  st.global.u32 [%rd4], %r3;
  ret;
}
)ptx";

std::string textOf(const char* kernel) {
  std::string text = kText;
  return text.replace(text.find("NAME"), 4, kernel);
}

void loadedForms() {
  float* out = fresh();
  void* arguments[] = {&out};
  CUmodule module;
  CUfunction function;
  DRV(cuModuleLoadData(&module, textOf("launch_module").c_str()));
  DRV(cuModuleGetFunction(&function, module, "launch_module"));
  DRV(cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  CUlibrary library;
  CUkernel kernel;
  DRV(cuLibraryLoadData(&library, textOf("launch_library").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  DRV(cuLibraryGetKernel(&kernel, library, "launch_library"));
  DRV(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  RT(cudaDeviceSynchronize());
  std::vector<int> values(128);
  RT(cudaMemcpy(values.data(), out, 128 * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("loaded forms %d %d\n", values[0], values[127]);
  DRV(cuModuleUnload(module));
  DRV(cuLibraryUnload(library));
}

/// The capture has to end well although the recorder is there, and a launch from another thread meanwhile as well.
void graphs() {
  float* out = fresh();
  cudaStream_t stream, other;
  RT(cudaStreamCreate(&stream));
  RT(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  RT(cudaDeviceSynchronize());
  RT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch_graph<<<kBlocks, 256, 0, stream>>>(out, kCount);
  std::thread([&] {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    RT(cudaThreadExchangeStreamCaptureMode(&mode));
    launch_during_capture<<<kBlocks, 256, 0, other>>>(out, kCount);
    RT(cudaStreamSynchronize(other));
  }).join();
  cudaGraph_t graph;
  RT(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable;
  RT(cudaGraphInstantiate(&executable, graph, 0));
  RT(cudaGraphLaunch(executable, stream));
  RT(cudaStreamSynchronize(stream));
  launch_after_capture<<<kBlocks, 256, 0, stream>>>(out, kCount);
  RT(cudaStreamSynchronize(stream));
  printDeviceSum("graphs", out, kCount);
}

int main() {
  runtimeForms();
  withAttributes();
  driverForms();
  loadedForms();
  graphs();
  return 0;
}
