// SPDX-License-Identifier: Apache-2.0
/// A three-dimensional grid of three-dimensional blocks that transposes through dynamic shared memory.
#include <vector>

#include "check.h"

constexpr int kSide = 4, kCells = kSide * kSide * kSide, kBlocks = 3;

__global__ void reverseCube(const int* from, int* to) {
  extern __shared__ int cube[];
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int cell = (threadIdx.z * kSide + threadIdx.y) * kSide + threadIdx.x;
  const int turned = (threadIdx.x * kSide + threadIdx.y) * kSide + threadIdx.z;
  cube[cell] = from[block * kCells + cell];
  __syncthreads();
  to[block * kCells + cell] = cube[turned] * 10 + blockIdx.z;
}

int main() {
  const int cells = kBlocks * kBlocks * kBlocks * kCells;
  std::vector<int> values(cells);
  for (int i = 0; i < cells; ++i) values[i] = i % 251;
  int *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, cells * sizeof(int)), "malloc");
  check(cudaMalloc(&to, cells * sizeof(int)), "malloc");
  check(cudaMemcpy(from, values.data(), cells * sizeof(int), cudaMemcpyHostToDevice), "copy");
  reverseCube<<<dim3(kBlocks, kBlocks, kBlocks), dim3(kSide, kSide, kSide), kCells * sizeof(int)>>>(from, to);
  std::vector<int> result(cells);
  check(cudaMemcpy(result.data(), to, cells * sizeof(int), cudaMemcpyDeviceToHost), "copy");
  bool good = true;
  for (int i = 0; i < cells; ++i) {
    const int block = i / kCells, cell = i % kCells;
    const int turned = (cell % kSide * kSide + cell / kSide % kSide) * kSide + cell / (kSide * kSide);
    good = good && result[i] == values[block * kCells + turned] * 10 + block / (kBlocks * kBlocks);
  }
  return finish(good);
}
