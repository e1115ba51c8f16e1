// SPDX-License-Identifier: Apache-2.0
/// Grids, blocks and arguments, without synchronisation.
#include "support.h"

namespace mneme::host::test {
namespace {

TEST(Grid, SaxpyWithTail) {
  auto module = load(R"(extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = global(); if (i < n) y[i] = a * x[i] + y[i]; })");
  ASSERT_TRUE(module);
  std::vector<float> x(1000), y(1000);
  for (int i = 0; i < 1000; ++i) x[i] = i, y[i] = 2 * i;
  EXPECT_RUNS(launch(*module, "saxpy", shape({4}, {256}), 3.0f, x.data(), y.data(), 999));
  for (int i = 0; i < 999; ++i) ASSERT_EQ(y[i], 5.0f * i) << i;
  EXPECT_EQ(y[999], 2.0f * 999);
}

TEST(Grid, ThreeDimensionsCountEveryThreadOnce) {
  auto module = load(R"(extern "C" __global__ void mark(int* out) {
    int x = Index::bx() * Index::nx() + Index::tx(), y = Index::by() * Index::ny() + Index::ty(), z = Index::bz() * Index::nz() + Index::tz();
    int w = Index::gx() * Index::nx(), h = Index::gy() * Index::ny();
    out[(z * h + y) * w + x] += (z * h + y) * w + x + 1; })");
  ASSERT_TRUE(module);
  const int count = 3 * 5 * 2 * 7 * 4 * 3;
  std::vector<int> out(count);
  EXPECT_RUNS(launch(*module, "mark", shape({3, 2, 4}, {5, 7, 3}), out.data()));
  for (int i = 0; i < count; ++i) ASSERT_EQ(out[i], i + 1);
}

TEST(Grid, MillionBlocks) {
  auto module = load(R"(extern "C" __global__ void bump(unsigned long long* n) { if (Index::tx() == 0) __atomic_fetch_add(n, 1, __ATOMIC_RELAXED); })");
  ASSERT_TRUE(module);
  unsigned long long count = 0;
  EXPECT_RUNS(launch(*module, "bump", shape({1000000}, {2}), &count));
  EXPECT_EQ(count, 1000000u);
}

TEST(Grid, LimitsAreChecked) {
  auto module = load(R"(extern "C" __global__ void nothing(int a) {} extern "C" __global__ void __launch_bounds__(64) bounded() {})");
  ASSERT_TRUE(module);
  for (auto wrong : {shape({0}, {1}), shape({1}, {1025}), shape({1}, {1024, 2}), shape({1, 65536}, {1}), shape({1}, {1, 1, 65}), shape({1}, {32}, 300000)})
    EXPECT_EQ(launch(*module, "nothing", wrong, 1).fault, Fault::InvalidLaunch);
  EXPECT_EQ(launch(*module, "bounded", shape({1}, {65})).fault, Fault::InvalidLaunch);
  EXPECT_EQ(run(**module->kernel("nothing"), shape({1}, {1}), {}).fault, Fault::InvalidLaunch);
}

TEST(Grid, StructuresByValueAreEachThreadsOwn) {
  auto module = load(R"(struct S { int a[9]; double d; };
    extern "C" __global__ void k(char c, S s, int* out) { int i = Index::tx(); s.a[i % 9] += i; s.d *= 2; out[i] = s.a[i % 9] + (int)s.d + c; })");
  ASSERT_TRUE(module);
  struct S { int a[9]; double d; } s{{1, 2, 3, 4, 5, 6, 7, 8, 9}, 10};
  std::vector<int> out(64);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {64}), char(7), s, out.data()));
  for (int i = 0; i < 64; ++i) ASSERT_EQ(out[i], s.a[i % 9] + i + 20 + 7);
}

/// The barrier of a cooperative launch as CUDA's own headers write it: arrivals counted where %envreg1 and 2 point to.
TEST(Grid, CooperativeLaunchesMeet) {
  auto module = load(R"cu(extern "C" __global__ void k(int* out) { unsigned high, low, n = Index::gx();
    asm("mov.u32 %0, %%envreg1;" : "=r"(high)); asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    unsigned* bar = (unsigned*)((unsigned long long)high << 32 | low) + 1;
    for (int round = 1; round <= 3; ++round) {
      if (Index::tx() == 0) out[Index::bx()] = round;
      __nvvm_membar_gl(); __syncthreads();
      if (Index::tx() == 0) { unsigned old = __nvvm_atom_add_gen_i((int*)bar, Index::bx() == 0 ? 0x80000000u - (n - 1) : 1);
        while (((old ^ *(volatile unsigned*)bar) & 0x80000000u) == 0) {} }
      __syncthreads();
      if (Index::tx() == 1) { for (int b = 0; b < n; ++b) if (((volatile int*)out)[b] < round) out[n] = 1; }
      __syncthreads();
    } })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(41);
  auto cooperative = shape({40}, {64});
  cooperative.cooperative = true;
  EXPECT_RUNS(launch(*module, "k", cooperative, out.data()));
  for (int b = 0; b < 40; ++b) EXPECT_EQ(out[b], 3);
  EXPECT_EQ(out[40], 0) << "a block went on before all had come";
  cooperative.grid.x = 100000;
  EXPECT_EQ(launch(*module, "k", cooperative, out.data()).fault, Fault::InvalidLaunch);
}

}  // namespace
}  // namespace mneme::host::test
