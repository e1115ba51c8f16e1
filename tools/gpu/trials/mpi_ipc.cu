// SPDX-License-Identifier: Apache-2.0
/// Two MPI ranks on one GPU: rank 1 opens rank 0's memory through CUDA IPC and adds to it.
#include <mpi.h>

#include <cstdio>
#include <vector>

__global__ void addRank(int* x, int n, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += rank + 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  const int n = 1 << 16;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* memory = nullptr;
  cudaIpcMemHandle_t handle{};
  if (rank == 0) {
    cudaMalloc(&memory, n * sizeof(int));
    cudaMemset(memory, 0, n * sizeof(int));
    addRank<<<n / 256, 256>>>(memory, n, rank);
    cudaDeviceSynchronize();
    cudaIpcGetMemHandle(&handle, memory);
  }
  MPI_Bcast(&handle, sizeof handle, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    cudaIpcOpenMemHandle(reinterpret_cast<void**>(&memory), handle, cudaIpcMemLazyEnablePeerAccess);
    addRank<<<n / 256, 256>>>(memory, n, rank);
    cudaDeviceSynchronize();
    cudaIpcCloseMemHandle(memory);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::vector<int> result(n);
    cudaMemcpy(result.data(), memory, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("ipc %s\n", result[n - 1] == 3 ? "correct" : "wrong");
  }
  MPI_Finalize();
}
