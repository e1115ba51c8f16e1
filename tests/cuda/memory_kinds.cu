// SPDX-License-Identifier: Apache-2.0
/// One kernel per way to own memory; the kernel's name says which. Every kernel reads `in`, changes `out` in place.
#include <sys/mman.h>

#include "check.h"

constexpr int kCount = 50000;
constexpr size_t kBytes = kCount * sizeof(float);

#define KERNEL(name)                                                            \
  __global__ void name(const float* in, float* out, int count) {                \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                        \
    if (i < count) out[i] = out[i] * 0.5f + in[i] + 1;                          \
  }

KERNEL(use_device)
KERNEL(use_managed)
KERNEL(use_pinned)
KERNEL(use_mapped)
KERNEL(use_write_combined)
KERNEL(use_registered_malloc)
KERNEL(use_registered_mmap)
KERNEL(use_async)
KERNEL(use_pool)
KERNEL(use_virtual)
KERNEL(use_expandable)
KERNEL(use_graph_memory)
KERNEL(use_mapped_alias)

__global__ void use_pitched(const float* in, float* out, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width && y < height)
    reinterpret_cast<float*>(reinterpret_cast<char*>(out) + y * pitch)[x] += in[x] + y;
}

__global__ void use_cube(const float* in, cudaPitchedPtr out, int width) {
  const int x = threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  char* row = static_cast<char*>(out.ptr) + (z * out.ysize + y) * out.pitch;
  if (x < width) reinterpret_cast<float*>(row)[x] += in[x] + y + 100 * z;
}

struct Node {
  float* values;
  Node* next;
};

/// Memory that only pointers in memory lead to.
__global__ void use_pointers(Node* node, int count) {
  for (; node; node = node->next)
    for (int i = threadIdx.x; i < count; i += blockDim.x) node->values[i] += 1;
}

__device__ float deviceVariable[256];
__constant__ float constantVariable[64];
__managed__ int managedVariable;

__global__ void use_globals(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] += deviceVariable[i % 256] * constantVariable[i % 64];
  if (i < 256) deviceVariable[i] += 1;
  if (i == 0) managedVariable += 1;
}

using Kernel = void (*)(const float*, float*, int);

float* input() {
  static float* in = [] {
    float* memory = nullptr;
    RT(cudaMalloc(&memory, kBytes));
    std::vector<float> values(kCount);
    for (int i = 0; i < kCount; ++i) values[i] = static_cast<float>(i % 100) / 10;
    RT(cudaMemcpy(memory, values.data(), kBytes, cudaMemcpyHostToDevice));
    return memory;
  }();
  return in;
}

void run(const char* name, Kernel kernel, float* out) {
  std::vector<float> start(kCount, 2.0f);
  RT(cudaMemcpy(out, start.data(), kBytes, cudaMemcpyDefault));
  kernel<<<(kCount + 255) / 256, 256>>>(input(), out, kCount);
  RT(cudaGetLastError());
  RT(cudaDeviceSynchronize());
  printDeviceSum(name, out, kCount);
}

void hostKinds() {
  float* memory = nullptr;
  RT(cudaMallocManaged(&memory, kBytes));
  run("managed", use_managed, memory);
  RT(cudaMallocHost(&memory, kBytes));
  run("pinned", use_pinned, memory);
  RT(cudaHostAlloc(&memory, kBytes, cudaHostAllocMapped | cudaHostAllocPortable));
  run("mapped", use_mapped, memory);
  RT(cudaHostAlloc(&memory, kBytes, cudaHostAllocWriteCombined));
  run("write-combined", use_write_combined, memory);
  float* alias = nullptr;
  RT(cudaHostAlloc(&memory, 2 * kBytes, cudaHostAllocMapped));
  RT(cudaHostGetDevicePointer(&alias, memory, 0));
  run("mapped alias", use_mapped_alias, alias + kCount);
  memory = static_cast<float*>(std::malloc(kBytes));
  RT(cudaHostRegister(memory, kBytes, cudaHostRegisterDefault));
  run("registered malloc", use_registered_malloc, memory);
  memory = static_cast<float*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  RT(cudaHostRegister(memory, kBytes, cudaHostRegisterDefault));
  run("registered mmap", use_registered_mmap, memory);
}

void deviceKinds() {
  float* memory = nullptr;
  RT(cudaMalloc(&memory, kBytes));
  run("device", use_device, memory);
  RT(cudaMallocAsync(&memory, kBytes, 0));
  run("async", use_async, memory);
  cudaMemPool_t pool;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  RT(cudaMemPoolCreate(&pool, &properties));
  RT(cudaMallocFromPoolAsync(&memory, kBytes, pool, 0));
  run("pool", use_pool, memory);
}

constexpr size_t kPage = 2 << 20;

/// Reserves twice as much as it maps, page by page, each with a handle of its own.
CUdeviceptr mapPages(size_t pages) {
  CUdeviceptr address = 0;
  DRV(cuMemAddressReserve(&address, 2 * pages * kPage, 0, 0, 0));
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (size_t i = 0; i < pages; ++i) {
    CUmemGenericAllocationHandle handle;
    DRV(cuMemCreate(&handle, kPage, &properties, 0));
    DRV(cuMemMap(address + i * kPage, kPage, 0, handle, 0));
    DRV(cuMemRelease(handle));
    DRV(cuMemSetAccess(address + i * kPage, kPage, &access, 1));
  }
  return address;
}

/// Partly unmapped again; and one buffer across pages, as in PyTorch's expandable segments, beside a hole.
void virtualMemory() {
  const CUdeviceptr plain = mapPages(2);
  DRV(cuMemUnmap(plain + kPage, kPage));
  run("virtual", use_virtual, reinterpret_cast<float*>(plain));
  const CUdeviceptr grown = mapPages(4);
  DRV(cuMemUnmap(grown + 2 * kPage, kPage));
  run("expandable", use_expandable, reinterpret_cast<float*>(grown + kPage - kBytes / 2));
}

/// Memory that a graph allocates and that outlives its launch.
void graphMemory() {
  cudaGraph_t graph;
  RT(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams parameters{};
  parameters.poolProps.allocType = cudaMemAllocationTypePinned;
  parameters.poolProps.location.type = cudaMemLocationTypeDevice;
  parameters.bytesize = kBytes;
  cudaGraphNode_t node;
  RT(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters));
  cudaGraphExec_t executable;
  RT(cudaGraphInstantiate(&executable, graph, 0));
  RT(cudaGraphLaunch(executable, 0));
  run("graph memory", use_graph_memory, static_cast<float*>(parameters.dptr));
  RT(cudaFreeAsync(parameters.dptr, 0));
}

/// A 3-D allocation, used through its pitch.
void cube() {
  constexpr int kWidth = 100, kHeight = 20, kDepth = 10;
  cudaPitchedPtr memory{};
  RT(cudaMalloc3D(&memory, make_cudaExtent(kWidth * sizeof(float), kHeight, kDepth)));
  RT(cudaMemset(memory.ptr, 0, memory.pitch * kHeight * kDepth));
  use_cube<<<dim3(1, kHeight, kDepth), 128>>>(input(), memory, kWidth);
  RT(cudaDeviceSynchronize());
  printDeviceSum("cube", static_cast<float*>(memory.ptr), kWidth);
}

void pitched() {
  constexpr int kWidth = 300, kHeight = 40;
  float* memory = nullptr;
  size_t pitch = 0;
  RT(cudaMallocPitch(&memory, &pitch, kWidth * sizeof(float), kHeight));
  RT(cudaMemset2D(memory, pitch, 0, kWidth * sizeof(float), kHeight));
  use_pitched<<<dim3(2, kHeight), 256>>>(input(), memory, pitch, kWidth, kHeight);
  RT(cudaDeviceSynchronize());
  printDeviceSum("pitched", memory, kWidth);
}

void pointers() {
  Node* head = nullptr;
  float* values = nullptr;
  for (int i = 0; i < 3; ++i) {
    Node* node = nullptr;
    RT(cudaMalloc(&node, sizeof(Node)));
    RT(cudaMalloc(&values, 4096));
    RT(cudaMemset(values, 0, 4096));
    const Node content{values, head};
    RT(cudaMemcpy(node, &content, sizeof content, cudaMemcpyHostToDevice));
    head = node;
  }
  use_pointers<<<1, 128>>>(head, 1024);
  RT(cudaDeviceSynchronize());
  printDeviceSum("pointers", values, 1024);
}

void globals() {
  std::vector<float> table(256, 3.0f);
  RT(cudaMemcpyToSymbol(deviceVariable, table.data(), sizeof deviceVariable));
  RT(cudaMemcpyToSymbol(constantVariable, table.data(), sizeof constantVariable));
  managedVariable = 5;
  float* memory = nullptr;
  RT(cudaMalloc(&memory, kBytes));
  RT(cudaMemset(memory, 0, kBytes));
  use_globals<<<(kCount + 255) / 256, 256>>>(memory, kCount);
  RT(cudaDeviceSynchronize());
  printDeviceSum("globals", memory, kCount);
  std::printf("managed variable %d\n", managedVariable);
}

int main() {
  deviceKinds();
  hostKinds();
  virtualMemory();
  graphMemory();
  pitched();
  cube();
  pointers();
  globals();
  return 0;
}
