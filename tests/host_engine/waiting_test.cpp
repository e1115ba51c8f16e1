// SPDX-License-Identifier: Apache-2.0
/// Threads that wait for each other in loops: locks, flags, counters; in a block, between blocks, and for ever.
#include <chrono>
#include <cstdlib>

#include "support.h"

namespace mneme::host::test {
namespace {

TEST(Waiting, ForAFlagThatALaterThreadOfTheBlockSets) {
  auto module = load(R"(extern "C" __global__ void k(volatile int* flag, int* out) { int t = Index::tx();
    if (t == 0) { while (*flag == 0) {} out[0] = *flag; } else if (t == 63) *flag = 7; })");
  ASSERT_TRUE(module);
  int flag = 0, out = 0;
  EXPECT_RUNS(launch(*module, "k", shape({1}, {64}), &flag, &out));
  EXPECT_EQ(out, 7);
}

TEST(Waiting, ForAFlagInSharedMemoryOfAnotherWarp) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { __shared__ volatile int turn; int t = Index::tx();
    if (t == 0) turn = 0; __syncthreads();
    if (t % 32 == 0) { while (turn != t / 32) {} out[t / 32] = turn * 10; turn = t / 32 + 1; }
    __nvvm_bar_warp_sync(0xffffffffu); out[4 + t] = __nvvm_shfl_sync_idx_i32(0xffffffffu, t, 0, 31); })");
  ASSERT_TRUE(module);
  std::vector<int> out(132);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {128}), out.data()));
  for (int w = 0; w < 4; ++w) EXPECT_EQ(out[w], w * 10);
  for (int t = 0; t < 128; ++t) EXPECT_EQ(out[4 + t], t & ~31);
}

TEST(Waiting, SpinLockBetweenThreadsAndBlocks) {
  auto module = load(R"(extern "C" __global__ void k(int* lock, long* counter) {
    while (__sync_val_compare_and_swap(lock, 0, 1) != 0) {} *(volatile long*)counter += 1; __sync_lock_release(lock); })");
  ASSERT_TRUE(module);
  int lock = 0;
  long counter = 0;
  EXPECT_RUNS(launch(*module, "k", shape({64}, {128}), &lock, &counter));
  EXPECT_EQ(counter, 64 * 128);
}

TEST(Waiting, SpinLockHeldOverABarrierOfTheBlock) {
  auto module = load(R"(extern "C" __global__ void k(int* lock, int* counter) { int t = Index::tx();
    if (t == 0) while (__sync_lock_test_and_set(lock, 1) != 0) {}
    __syncthreads(); int before = *(volatile int*)counter; __syncthreads();
    if (t == Index::nx() - 1) *(volatile int*)counter = before + 1; __syncthreads();
    if (t == 0) __sync_lock_release(lock); })");
  ASSERT_TRUE(module);
  int lock = 0, counter = 0;
  EXPECT_RUNS(launch(*module, "k", shape({200}, {33}), &lock, &counter));
  EXPECT_EQ(counter, 200);
}

TEST(Waiting, LockTakenByAFlagVariable) {
  auto module = load(R"(extern "C" __global__ void k(int* lock, int* counter) { bool done = false;
    while (!done) if (__sync_val_compare_and_swap(lock, 0, 1) == 0) { *(volatile int*)counter += 2; __sync_synchronize(); __sync_lock_release(lock); done = true; } })");
  ASSERT_TRUE(module);
  int lock = 0, counter = 0;
  EXPECT_RUNS(launch(*module, "k", shape({20}, {64}), &lock, &counter));
  EXPECT_EQ(counter, 20 * 64 * 2);
}

TEST(Waiting, BarrierOfTheWholeGridMadeByHand) {
  auto module = load(R"(extern "C" __global__ void k(int* arrived, int* value, int* out) { int b = Index::bx(), t = Index::tx();
    if (t == 0) value[b] = b + 1; __syncthreads();
    if (t == 0) { __sync_fetch_and_add(arrived, 1); while (*(volatile int*)arrived < Index::gx()) {} } __syncthreads();
    if (t == 5) out[b] = ((volatile int*)value)[(b + 1) % Index::gx()]; })");
  ASSERT_TRUE(module);
  constexpr int kBlocks = 300;
  int arrived = 0;
  std::vector<int> value(kBlocks), out(kBlocks);
  EXPECT_RUNS(launch(*module, "k", shape({kBlocks}, {64}), &arrived, value.data(), out.data()));
  for (int b = 0; b < kBlocks; ++b) EXPECT_EQ(out[b], (b + 1) % kBlocks + 1);
}

TEST(Waiting, ChainOfBlocksFromTheLastToTheFirst) {
  auto module = load(R"(extern "C" __global__ void k(volatile int* sums) { int b = Index::bx(), n = Index::gx();
    if (Index::tx() != 0) return; int next = 0; if (b + 1 < n) while ((next = sums[b + 1]) == 0) {} sums[b] = next + 1; })");
  ASSERT_TRUE(module);
  std::vector<int> sums(500);
  EXPECT_RUNS(launch(*module, "k", shape({500}, {32}), sums.data()));
  for (int b = 0; b < 500; ++b) EXPECT_EQ(sums[b], 500 - b);
}

TEST(Waiting, ForNobodyIsADeadlockNotAHang) {
  auto module = load(R"(extern "C" __global__ void k(volatile int* flag) { if (Index::tx() == 3) while (*flag == 0) {} __syncthreads(); })");
  ASSERT_TRUE(module);
  int flag = 0;
  ::setenv("MNEME_HOST_WAIT_SECONDS", "1", 1);
  const auto start = std::chrono::steady_clock::now();
  auto result = launch(*module, "k", shape({4}, {64}), &flag);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  EXPECT_EQ(result.fault, Fault::Trap);
  EXPECT_NE(result.message.find("deadlock: a thread waits in a loop"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("thread (3,0,0)"), std::string::npos) << result.message;
}

TEST(Waiting, InAFunctionCalledThroughAPointerIsRefusedByName) {
  auto module = load(R"(__device__ __noinline__ void take(int* lock) { while (__sync_lock_test_and_set(lock, 1) != 0) {} }
    __device__ __noinline__ void none(int*) {}
    extern "C" __global__ void k(int* lock, int which) { void (*chosen)(int*) = which ? take : none; chosen(lock); })");
  ASSERT_TRUE(module);
  int lock = 0;
  auto result = launch(*module, "k", shape({1}, {1}), &lock, 0);
  EXPECT_EQ(result.fault, Fault::Unsupported);
  EXPECT_NE(result.message.find("a loop that waits for other threads"), std::string::npos) << result.message;
}

TEST(Waiting, LockFreeUpdatesAndCountedLoopsStayWhole) {
  auto module = load(R"(extern "C" __global__ void cas(unsigned long* p, unsigned long v) { unsigned long old = *p, seen;
      do { seen = old; old = __sync_val_compare_and_swap(p, seen, seen + v); } while (old != seen); }
    extern "C" __global__ void histogram(const int* in, int* bins, int n) { for (int i = global(); i < n; i += Index::nx() * Index::gx()) __sync_fetch_and_add(&bins[in[i] & 15], 1); }
    extern "C" __global__ void queue(int* next, int* out, int n) { int i; while ((i = __sync_fetch_and_add(next, 1)) < n) out[i] = i; })");
  ASSERT_TRUE(module);
  for (const char* name : {"cas", "histogram", "queue"}) {
    auto kernel = module->kernel(name);
    ASSERT_TRUE(kernel) << kernel.error().message();
    EXPECT_EQ((*kernel)->descriptor().segmentCount, 1u) << name;
  }
}

}  // namespace
}  // namespace mneme::host::test
