// SPDX-License-Identifier: Apache-2.0
/// Programs that a careless recorder hangs or breaks: hazards NAME. Each prints its result and exits 0 by itself.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "check.h"

constexpr int kCount = 20000;
constexpr size_t kBytes = kCount * sizeof(float);
constexpr int kBlocks = (kCount + 255) / 256;

__global__ void add(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] += 1;
}

__global__ void add_beside(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] += 2;
}

__global__ void during_capture(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] += 3;
}

__device__ int callsSoFar = 5;

__global__ void counts(float* out) {
  out[threadIdx.x] += callsSoFar;
  __syncthreads();
  if (threadIdx.x == 0) callsSoFar += 1;
}

__global__ void waits_for_host(volatile int* flag, float* out) {
  while (*flag == 0) {
  }
  out[0] = 7;
}

__global__ void meets(volatile int* own, volatile int* other, float* out) {
  *own = 1;
  __threadfence_system();
  while (*other == 0) {
  }
  out[0] += 1;
}

float* fresh() {
  float* memory = nullptr;
  RT(cudaMalloc(&memory, kBytes));
  RT(cudaMemset(memory, 0, kBytes));
  return memory;
}

/// Lazy loading waits for running kernels: what is launched beside one is loaded before.
template <typename Kernel>
void preload(Kernel kernel) {
  cudaFuncAttributes attributes{};
  RT(cudaFuncGetAttributes(&attributes, kernel));
}

/// A kernel runs until the host, which launches another one meanwhile, sets a flag.
void persistent() {
  int* flag = nullptr;
  RT(cudaMallocHost(&flag, sizeof(int)));
  *flag = 0;
  float *out = fresh(), *beside = fresh();
  preload(waits_for_host);
  preload(add_beside);
  add<<<kBlocks, 256>>>(beside, kCount);
  RT(cudaDeviceSynchronize());
  cudaStream_t one, two;
  RT(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  RT(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  waits_for_host<<<1, 1, 0, one>>>(flag, out);
  add_beside<<<kBlocks, 256, 0, two>>>(beside, kCount);
  RT(cudaStreamSynchronize(two));
  *reinterpret_cast<volatile int*>(flag) = 1;
  RT(cudaStreamSynchronize(one));
  printDeviceSum("persistent", out, 1);
  printDeviceSum("beside", beside, kCount);
}

/// Two threads' kernels wait for each other on the device.
void exchange() {
  int* flags = nullptr;
  RT(cudaMalloc(&flags, 2 * sizeof(int)));
  RT(cudaMemset(flags, 0, 2 * sizeof(int)));
  float* out = fresh();
  const auto work = [&](int self) {
    cudaStream_t stream;
    RT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    meets<<<1, 1, 0, stream>>>(flags + self, flags + 1 - self, out + self);
    RT(cudaStreamSynchronize(stream));
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  printDeviceSum("exchange", out, 2);
}

/// All but a little of the memory is taken before and after a recorded launch.
void fullMemory() {
  float* out = fresh();
  size_t free = 0, total = 0;
  RT(cudaMemGetInfo(&free, &total));
  void* most = nullptr;
  RT(cudaMalloc(&most, free / 20 * 19));
  add<<<kBlocks, 256>>>(out, kCount);
  RT(cudaDeviceSynchronize());
  RT(cudaFree(most));
  add<<<kBlocks, 256>>>(out, kCount);
  RT(cudaMalloc(&most, free / 20 * 19));
  RT(cudaDeviceSynchronize());
  printDeviceSum("full memory", out, kCount);
}

void forks() {
  float* out = fresh();
  add<<<kBlocks, 256>>>(out, kCount);
  RT(cudaDeviceSynchronize());
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 1;
  waitpid(child, &status, 0);
  std::printf("child %d\n", status);
  printDeviceSum("forks", out, kCount);
}

void resets() {
  add<<<kBlocks, 256>>>(fresh(), kCount);
  RT(cudaDeviceReset());
  float* out = fresh();
  add<<<kBlocks, 256>>>(out, kCount);
  RT(cudaDeviceSynchronize());
  printDeviceSum("resets", out, kCount);
}

/// Ends right after the launch, without waiting and without freeing anything; the memory is freed at once.
void exits() {
  float* out = fresh();
  add<<<kBlocks, 256>>>(out, kCount);
  RT(cudaFree(out));
  std::printf("exits\n");
}

/// No destructor and no exit handler runs.
void dies() {
  float* out = fresh();
  add<<<kBlocks, 256>>>(out, kCount);
  RT(cudaDeviceSynchronize());
  printDeviceSum("dies", out, kCount);
  std::fflush(stdout);
  _exit(7);
}

CUcontext makeContext() {
  CUcontext context;
#if CUDA_VERSION >= 13000
  DRV(cuCtxCreate(&context, nullptr, 0, 0));
#else
  DRV(cuCtxCreate(&context, 0, 0));
#endif
  return context;
}

/// Contexts of its own come and go, the last with work under way.
void contexts() {
  DRV(cuInit(0));
  for (int i = 0; i < 3; ++i) {
    const CUcontext context = makeContext();
    float* out = fresh();
    add<<<kBlocks, 256>>>(out, kCount);
    if (i < 2) printDeviceSum("context", out, kCount);
    DRV(cuCtxDestroy(context));
  }
}

/// Parent and child each use the GPU, which a process may only do if it forked before.
void forksFirst() {
  const pid_t child = fork();
  float* out = fresh();
  if (child == 0) {
    add_beside<<<kBlocks, 256>>>(out, kCount);
    RT(cudaDeviceSynchronize());
    std::exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  add<<<kBlocks, 256>>>(out, kCount);
  RT(cudaDeviceSynchronize());
  std::printf("child %d\n", status);
  printDeviceSum("forks first", out, kCount);
}

/// A capture is open on another thread while this one launches; it has to end well.
void capture() {
  float *out = fresh(), *captured = fresh();
  preload(during_capture);
  preload(add);
  std::atomic<int> step{0};
  std::thread other([&] {
    cudaStream_t stream;
    RT(cudaStreamCreate(&stream));
    RT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    add_beside<<<kBlocks, 256, 0, stream>>>(captured, kCount);
    step = 1;
    while (step != 2) std::this_thread::yield();
    cudaGraph_t graph;
    RT(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t executable;
    RT(cudaGraphInstantiate(&executable, graph, 0));
    RT(cudaGraphLaunch(executable, stream));
    RT(cudaStreamSynchronize(stream));
  });
  while (step != 1) std::this_thread::yield();
  cudaStream_t own;
  RT(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
  during_capture<<<kBlocks, 256, 0, own>>>(out, kCount);
  RT(cudaStreamSynchronize(own));
  step = 2;
  other.join();
  add<<<kBlocks, 256, 0, own>>>(out, kCount);
  RT(cudaStreamSynchronize(own));
  printDeviceSum("launched", out, kCount);
  printDeviceSum("captured", captured, kCount);
}

/// The first launch is the first that anything hears of the module, whose variable has a value of its own.
void loading() {
  float* out = fresh();
  counts<<<1, 256>>>(out);
  counts<<<1, 256>>>(out);
  printDeviceSum("loading", out, 256);
}

/// Each thread on a default stream of its own, several kernels at once.
void threads() {
  std::vector<std::thread> all;
  std::vector<float*> memory;
  for (int i = 0; i < 4; ++i) memory.push_back(fresh());
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&, i] {
      for (int turn = 0; turn < 50; ++turn) {
        add<<<kBlocks, 256, 0, cudaStreamPerThread>>>(memory[i], kCount);
        add_beside<<<kBlocks, 256, 0, cudaStreamPerThread>>>(memory[i], kCount);
      }
      RT(cudaStreamSynchronize(cudaStreamPerThread));
    });
  for (std::thread& thread : all) thread.join();
  for (float* out : memory) printDeviceSum("thread", out, kCount);
}

struct Hazard {
  const char* name;
  void (*run)();
};
constexpr Hazard kHazards[] = {{"persistent", persistent}, {"exchange", exchange}, {"full-memory", fullMemory},
                               {"forks", forks},           {"forks-first", forksFirst}, {"resets", resets},
                               {"contexts", contexts},     {"exits", exits},       {"dies", dies},
                               {"capture", capture},       {"loading", loading},   {"threads", threads}};

int main(int count, char** arguments) {
  for (const Hazard& hazard : kHazards)
    if (count > 1 && !std::strcmp(arguments[1], hazard.name)) {
      hazard.run();
      return 0;
    }
  return 2;
}
