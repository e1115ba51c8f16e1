// SPDX-License-Identifier: Apache-2.0
/// Cooperative groups on the real engine: the grid, tiles, coalesced threads, reductions and scans, against the CPU.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

constexpr int kThreads = 128, kCells = 1000, kRounds = 3;

__global__ void neighbours(int* now, int* next) {
  auto grid = cg::this_grid();
  for (int round = 0; round < kRounds; ++round) {
    for (auto i = grid.thread_rank(); i < kCells; i += grid.size()) next[i] = now[(i + 1) % kCells] + now[i];
    grid.sync();
    for (auto i = grid.thread_rank(); i < kCells; i += grid.size()) now[i] = next[i];
    grid.sync();
  }
}

__device__ int sumOf(cg::thread_group group, int* space, int value) {
  const int rank = group.thread_rank();
  for (int half = group.size() / 2; half > 0; half /= 2) {
    space[rank] = value;
    group.sync();
    if (rank < half) value += space[rank + half];
    group.sync();
  }
  return value;
}

struct Answers {
  int tileSum[kThreads], tileBefore[kThreads], someSum[kThreads], someUpTo[kThreads], someCount[kThreads], alike[kThreads];
  unsigned ballot[kThreads];
  double shifted[kThreads];
  int total;
};

__global__ void groups(const int* values, Answers* answers) {
  __shared__ int space[kThreads], copied[kThreads];
  auto block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  cg::memcpy_async(block, copied, values, sizeof copied);
  cg::wait(block);
  const int t = block.thread_rank(), value = copied[t];
  answers->tileSum[t] = cg::reduce(tile, value, cg::plus<int>());
  answers->tileBefore[t] = cg::exclusive_scan(tile, value);
  answers->ballot[t] = tile.ballot(value % 2);
  answers->shifted[t] = tile.shfl_down(value + 0.5, 1);
  answers->alike[t] = cg::labeled_partition(tile, value % 2).size();
  if (t % 3 == 0) {
    auto some = cg::coalesced_threads();
    answers->someCount[t] = some.size();
    answers->someSum[t] = cg::reduce(some, value, cg::plus<int>());
    answers->someUpTo[t] = cg::inclusive_scan(some, value);
  }
  const int total = sumOf(block, space, value);
  if (t == 0) answers->total = total;
}

int wrong = 0;
void expect(const char* what, int thread, double got, double wanted) {
  if (got == wanted) return;
  if (++wrong < 20) std::printf("%s of thread %d: %g instead of %g\n", what, thread, got, wanted);
}

void checkGrid() {
  int *now, *next;
  cudaMallocManaged(&now, kCells * sizeof(int));
  cudaMallocManaged(&next, kCells * sizeof(int));
  static int wanted[kCells], before[kCells];
  for (int i = 0; i < kCells; ++i) wanted[i] = now[i] = i * 7 % 13;
  void* arguments[] = {&now, &next};
  expect("launch", 0, cudaLaunchCooperativeKernel(neighbours, 4, 64, arguments), cudaSuccess);
  expect("end", 0, cudaDeviceSynchronize(), cudaSuccess);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kCells; ++i) before[i] = wanted[i];
    for (int i = 0; i < kCells; ++i) wanted[i] = before[(i + 1) % kCells] + before[i];
  }
  for (int i = 0; i < kCells; ++i) expect("cell", i, now[i], wanted[i]);
  expect("a grid that is too large", 0, cudaLaunchCooperativeKernel(neighbours, 1 << 20, 64, arguments), cudaErrorCooperativeLaunchTooLarge);
}

void checkGroups() {
  int* values;
  Answers* a;
  cudaMallocManaged(&values, kThreads * sizeof(int));
  cudaMallocManaged(&a, sizeof(Answers));
  for (int i = 0; i < kThreads; ++i) values[i] = i * 5 % 17;
  groups<<<1, kThreads>>>(values, a);
  expect("groups", 0, cudaDeviceSynchronize(), cudaSuccess);
  int total = 0;
  for (int t = 0; t < kThreads; ++t) {
    const int tile = t / 8 * 8, warp = t / 32 * 32;
    int sum = 0, before = 0, alike = 0, someSum = 0, someUpTo = 0, someCount = 0;
    unsigned ballot = 0;
    for (int i = tile; i < tile + 8; ++i) {
      sum += values[i];
      before += i < t ? values[i] : 0;
      alike += values[i] % 2 == values[t] % 2;
      ballot |= unsigned(values[i] % 2) << (i - tile);
    }
    for (int i = warp; i < warp + 32; ++i) {
      if (i % 3) continue;
      ++someCount, someSum += values[i];
      someUpTo += i <= t ? values[i] : 0;
    }
    expect("sum", t, a->tileSum[t], sum);
    expect("scan", t, a->tileBefore[t], before);
    expect("alike", t, a->alike[t], alike);
    expect("ballot", t, a->ballot[t], ballot);
    expect("shift", t, a->shifted[t], values[t % 8 == 7 ? t : t + 1] + 0.5);
    total += values[t];
    if (t % 3) continue;
    expect("count", t, a->someCount[t], someCount);
    expect("sum of some", t, a->someSum[t], someSum);
    expect("scan of some", t, a->someUpTo[t], someUpTo);
  }
  expect("total", 0, a->total, total);
}

int main() {
  checkGrid();
  cudaGetLastError();
  checkGroups();
  std::puts(wrong ? "wrong" : "ok");
  return wrong != 0;
}
