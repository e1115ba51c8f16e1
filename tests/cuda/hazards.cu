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

int main(int count, char** arguments) {
  const char* name = count > 1 ? arguments[1] : "";
  if (!std::strcmp(name, "persistent")) persistent();
  else if (!std::strcmp(name, "exchange")) exchange();
  else if (!std::strcmp(name, "full-memory")) fullMemory();
  else if (!std::strcmp(name, "forks")) forks();
  else if (!std::strcmp(name, "resets")) resets();
  else if (!std::strcmp(name, "exits")) exits();
  else return 2;
  return 0;
}
