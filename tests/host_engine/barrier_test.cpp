// SPDX-License-Identifier: Apache-2.0
/// Shared memory, barriers, and what lives across them.
#include "support.h"

namespace mneme::host::test {
namespace {

TEST(Barrier, ReductionInALoop) {
  auto module = load(R"(extern "C" __global__ void sum(const int* in, int* out) {
    __shared__ int s[256]; int t = Index::tx(); s[t] = in[global()]; __syncthreads();
    for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    if (t == 0) out[Index::bx()] = s[0]; })");
  ASSERT_TRUE(module);
  std::vector<int> in(1024), out(4);
  for (int i = 0; i < 1024; ++i) in[i] = i;
  EXPECT_RUNS(launch(*module, "sum", shape({4}, {256}), in.data(), out.data()));
  for (int b = 0; b < 4; ++b) EXPECT_EQ(out[b], 256 * 256 * b + 255 * 128);
}

TEST(Barrier, DynamicSharedAliasesAndFollowsStatic) {
  auto module = load(R"(extern __shared__ int a[]; extern __shared__ float b[];
    extern "C" __global__ void k(int* out, int n) { __shared__ char c[13]; int t = Index::tx(); if (t < 13) c[t] = 42; a[t] = t; __syncthreads();
      out[t] = a[n - 1 - t] + c[t % 13] + (((int*)b)[t] == t) * 1000; })");
  ASSERT_TRUE(module);
  std::vector<int> out(100);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {100}, 400), out.data(), 100));
  for (int t = 0; t < 100; ++t) ASSERT_EQ(out[t], 99 - t + 42 + 1000);
}

TEST(Barrier, ValuesAndArraysLiveAcross) {
  auto module = load(R"(extern "C" __global__ void k(const double* in, double* out, int n) {
    __shared__ double s[128]; int t = Index::tx(); double local[4]; double mine = in[t] * 1.5; int sum = 0;
    for (int i = 0; i < 4; ++i) local[(i + t) & 3] = mine + i;
    for (int round = 0; round < n; ++round) { s[t] = mine + round; __syncthreads(); mine += s[(t + 1) & 127]; sum += round * t; __syncthreads(); }
    out[t] = mine + local[t & 3] + sum; })");
  ASSERT_TRUE(module);
  std::vector<double> in(128), out(128), mine(128), s(128);
  for (int i = 0; i < 128; ++i) in[i] = i, mine[i] = i * 1.5;
  EXPECT_RUNS(launch(*module, "k", shape({1}, {128}), in.data(), out.data(), 5));
  std::vector<int> sum(128);
  for (int round = 0; round < 5; ++round) {
    for (int t = 0; t < 128; ++t) s[t] = mine[t] + round;
    for (int t = 0; t < 128; ++t) mine[t] += s[(t + 1) & 127], sum[t] += round * t;
  }
  for (int t = 0; t < 128; ++t) ASSERT_EQ(out[t], mine[t] + in[t] * 1.5 + sum[t]) << t;
}

TEST(Barrier, UniformBranchEarlyExitAndDifferentPoints) {
  auto module = load(R"(extern "C" __global__ void k(int* out, int which) {
    __shared__ int s[64]; int t = Index::tx(); if (t >= 60) return; s[t] = t;
    if (which) { __syncthreads(); out[t] = s[59 - t]; }
    if (t & 1) { __syncthreads(); s[t] += 100; } else { __syncthreads(); s[t] += 200; }
    __syncthreads();
    out[t] += s[t ^ 1]; })");
  ASSERT_TRUE(module);
  std::vector<int> out(64);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {64}), out.data(), 1));
  for (int t = 0; t < 60; ++t) ASSERT_EQ(out[t], 59 - t + (t ^ 1) + ((t & 1) ? 200 : 100)) << t;
}

}  // namespace
}  // namespace mneme::host::test
