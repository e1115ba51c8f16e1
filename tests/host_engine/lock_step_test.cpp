// SPDX-License-Identifier: Apache-2.0
/// Lanes of a warp that read each other's plain shared memory without a barrier get what a warp in step would give them;
/// kernels whose barriers separate such accesses pay nothing for it.
#include <algorithm>
#include <numeric>

#include "support.h"

namespace mneme::host::test {
namespace {

std::vector<int> numbers(int count) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = (i * 37 + 11) % 101;
  return values;
}

uint32_t segments(LoadedModule& module, const std::string& name) {
  auto kernel = module.kernel(name);
  EXPECT_TRUE(kernel) << kernel.error().message();
  return kernel ? (*kernel)->descriptor().segmentCount : 0;
}

/// HeCBench's romberg: the first lanes write their sums, the very first reads all of them.
TEST(LockStep, OneLaneReadsWhatTheOthersJustWrote) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { extern __shared__ int s[]; int t = Index::tx(), n = Index::nx();
    for (int i = 0; i < 17; ++i) s[17 * t + i] = t + i;
    __syncthreads();
    if (t < 17) { int sum = 0; for (int i = t; i < n * 17; i += 17) sum += s[i]; s[t] = sum; }
    if (!t) { int all = 0; for (int i = 0; i < 17; ++i) all = all * 3 + s[i]; out[Index::bx()] = all; } })");
  ASSERT_TRUE(module);
  int out[3] = {};
  EXPECT_RUNS(launch(*module, "k", shape({3}, {64}, 64 * 17 * 4), static_cast<int*>(out)));
  int expected = 0;
  for (int i = 0; i < 17; ++i) expected = expected * 3 + 64 * i + 64 * 63 / 2;
  for (int value : out) EXPECT_EQ(value, expected);
}

TEST(LockStep, LastWarpOfAReductionWithoutVolatile) {
  auto module = load(R"(extern "C" __global__ void unrolled(const int* in, int* out) { __shared__ int s[64]; int t = Index::tx(); s[t] = in[t];
      __syncthreads();
      if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; }
      if (t == 0) *out = s[0]; }
    extern "C" __global__ void loop(const int* in, int* out) { __shared__ int s[64]; int t = Index::tx(); s[t] = in[t]; __syncthreads();
      if (t < 32) for (int d = 32; d > 0; d >>= 1) s[t] += s[t + d];
      if (t == 0) *out = s[0]; })");
  ASSERT_TRUE(module);
  auto in = numbers(64);
  for (const char* name : {"unrolled", "loop"}) {
    int out = 0;
    EXPECT_RUNS(launch(*module, name, shape({1}, {64}), in.data(), &out));
    EXPECT_EQ(out, std::accumulate(in.begin(), in.end(), 0)) << name;
  }
}

TEST(LockStep, ScanOfOneWarpInPlace) {
  auto module = load(R"(extern "C" __global__ void k(int* d) { __shared__ int s[32]; int t = Index::tx(); s[t] = d[t];
    for (int o = 1; o < 32; o *= 2) if (t >= o) s[t] += s[t - o];
    d[t] = s[t]; })");
  ASSERT_TRUE(module);
  auto data = numbers(32), expected = data;
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), data.data()));
  EXPECT_EQ(data, expected);
}

TEST(LockStep, ExchangesThroughSharedMemory) {
  auto module = load(R"(extern "C" __global__ void reverse(int* d) { __shared__ int s[32]; int t = Index::tx(); s[t] = d[t]; d[t] = s[31 - t]; }
    extern "C" __global__ void rotate(int* d) { __shared__ int s[33]; int t = Index::tx(); s[t] = d[t]; __syncthreads();
      int v = s[t]; s[(t + 1) % 32] = v; __syncthreads(); d[t] = s[t]; }
    extern "C" __global__ void broadcast(int* d) { __shared__ int s; int t = Index::tx(); if (t == 7) s = d[t]; d[t] = s; }
    extern "C" __global__ void transpose(int* d) { __shared__ int s[4][8]; int x = Index::tx(), y = Index::ty(), t = y * 8 + x;
      s[y][x] = d[t]; d[t] = s[t % 4][t / 4]; }
    extern "C" __global__ void counted(int* d) { __shared__ int s; int t = Index::tx(); if (t == 0) s = 0; __syncthreads();
      if (d[t] > 50) __sync_fetch_and_add(&s, 1); d[t] = s; })");
  ASSERT_TRUE(module);
  const auto in = numbers(32);
  auto result = [&](const char* name, Dim3 block) {
    auto data = in;
    EXPECT_RUNS(launch(*module, name, shape({1}, block), data.data()));
    return data;
  };
  const auto reversed = result("reverse", {32}), rotated = result("rotate", {32}), broadcast = result("broadcast", {32});
  const auto transposed = result("transpose", {8, 4}), counted = result("counted", {32});
  const auto many = std::count_if(in.begin(), in.end(), [](int value) { return value > 50; });
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(reversed[t], in[31 - t]);
    EXPECT_EQ(rotated[t], in[(t + 31) % 32]);
    EXPECT_EQ(broadcast[t], in[7]);
    EXPECT_EQ(transposed[t], in[t % 4 * 8 + t / 4]);
    EXPECT_EQ(counted[t], many);
  }
}

/// Lanes that went different ways meet again before they read.
TEST(LockStep, WritesOnBothSidesOfABranchInALoop) {
  auto module = load(R"(extern "C" __global__ void k(int* d, int rounds) { __shared__ int s[32]; int t = Index::tx(); int v = d[t];
    for (int i = 0; i < rounds; ++i) { if (v % 2) s[t] = v * 3; else s[t] = v + 1; v = s[(t + 5) % 32] % 1000; }
    d[t] = v; })");
  ASSERT_TRUE(module);
  auto data = numbers(32), expected = data;
  for (int round = 0; round < 9; ++round) {
    auto stored = expected;
    for (int t = 0; t < 32; ++t) stored[t] = expected[t] % 2 ? expected[t] * 3 : expected[t] + 1;
    for (int t = 0; t < 32; ++t) expected[t] = stored[(t + 5) % 32] % 1000;
  }
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), data.data(), 9));
  EXPECT_EQ(data, expected);
}

/// A segment more than the kernel has barriers would be a meeting that costs time.
TEST(LockStep, OrdinaryKernelsAreCutAtTheirBarriersOnly) {
  auto module = load(R"(
extern "C" __global__ void reduce3(const float* in, float* out) { __shared__ float s[256]; unsigned t = Index::tx(); s[t] = in[t]; __syncthreads();
  for (unsigned d = Index::nx() / 2; d > 0; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); } if (t == 0) *out = s[0]; }
extern "C" __global__ void late3(const int* in, int* out) { __shared__ int s[512]; unsigned t = Index::tx(); s[t] = in[t]; s[t + Index::nx()] = in[t + Index::nx()];
  __syncthreads(); for (int d = Index::nx(); d > 0; d /= 2) { __syncthreads(); if (t < d) s[t] += s[t + d]; } if (t == 0) out[0] = s[0]; }
extern "C" __global__ void matmul3(const float* a, const float* b, float* c, int n) { __shared__ float A[16][16], B[16][17];
  int x = Index::tx(), y = Index::ty(), X = Index::bx() * 16 + x, Y = Index::by() * 16 + y; float sum = 0;
  for (int m = 0; m < n; m += 16) { A[y][x] = a[Y * n + m + x]; B[y][x] = b[(m + y) * n + X]; __syncthreads();
    for (int k = 0; k < 16; k++) sum += A[y][k] * B[k][x]; __syncthreads(); } c[Y * n + X] = sum; }
extern "C" __global__ void transpose2(float* o, const float* i, int n) { __shared__ float t[32][33]; int x = Index::tx(), y = Index::ty(), X = Index::bx() * 32, Y = Index::by() * 32;
  for (int j = 0; j < 32; j += 8) t[y + j][x] = i[(Y + y + j) * n + X + x]; __syncthreads(); for (int j = 0; j < 32; j += 8) o[(X + y + j) * n + Y + x] = t[x][y + j]; }
extern "C" __global__ void own1(float* d) { __shared__ float s[256]; int t = Index::tx(); s[t] = 0; for (int i = 0; i < 100; i++) s[t] += d[i * 256 + t]; d[t] = s[t]; }
extern "C" __global__ void ownArray1(float* d) { __shared__ float s[64 * 8]; int t = Index::tx(); for (int i = 0; i < 8; i++) s[t * 8 + i] = d[i]; for (int i = 0; i < 8; i++) d[t * 8 + i] = s[t * 8 + 7 - i]; }
extern "C" __global__ void ownPitch1(float* d, int n) { extern __shared__ float s[]; int t = Index::tx(); s[t * n] = d[t]; d[t] = s[t * n] + 1; }
extern "C" __global__ void stride1(float* d, int n) { extern __shared__ float s[]; for (int i = Index::tx(); i < n; i += Index::nx()) s[i] = d[i];
  for (int i = Index::tx(); i < n; i += Index::nx()) d[i] = s[i] * 2; }
extern "C" __global__ void plane1(float* d, int n) { extern __shared__ float s[]; int t = Index::ty() * Index::nx() + Index::tx();
  for (int i = t; i < n; i += Index::nx() * Index::ny()) s[i] = d[i]; for (int i = t; i < n; i += Index::nx() * Index::ny()) d[i] = s[i] * 2; }
extern "C" __global__ void halo2(const float* in, float* out) { __shared__ float s[258]; int t = Index::tx(), g = Index::bx() * 256 + t; s[t + 1] = in[g];
  if (t == 0) s[0] = in[g - 1]; if (t == 255) s[257] = in[g + 1]; __syncthreads(); out[g] = s[t] + s[t + 1] + s[t + 2]; }
extern "C" __global__ void histogram3(const int* in, int* out, int n) { __shared__ int h[256]; int t = Index::tx(); h[t] = 0; __syncthreads();
  for (int i = global(); i < n; i += Index::nx() * Index::gx()) __sync_fetch_and_add(&h[in[i] & 255], 1); __syncthreads(); __sync_fetch_and_add(&out[t], h[t]); }
extern "C" __global__ void leader2(int* d) { __shared__ int s[4]; int t = Index::tx(); if ((t & 31) == 0) s[t >> 5] = d[t]; __syncthreads(); if (t == 0) { s[0] += s[1]; s[0] += s[2]; d[0] = s[0]; } }
extern "C" __global__ void corner1(int* d) { __shared__ int s[4]; if (Index::tx() == 0 && Index::ty() == 0) { s[1] = d[0]; s[2] = s[1] * 2; d[0] = s[2]; } }
extern "C" __global__ void lane1(int* d) { __shared__ int s[4][32]; int t = Index::tx(); s[t >> 5][t & 31] = d[t]; d[t] = s[t >> 5][t & 31]; }
extern "C" __global__ void first1(int* d) { __shared__ int s; int t = Index::tx(); if (t == 0) s = d[t]; d[t] = s; }
extern "C" __global__ void bodies3(const float* p, float* o, int n) { __shared__ float s[256]; int t = Index::tx(); float a = 0;
  for (int i = 0; i < n; i += 256) { s[t] = p[i + t]; __syncthreads(); for (int k = 0; k < 256; k++) a += s[k]; __syncthreads(); } o[global()] = a; })");
  ASSERT_TRUE(module);
  for (const char* name : {"reduce3", "late3", "matmul3", "transpose2", "own1", "ownArray1", "ownPitch1", "stride1", "plane1", "halo2", "histogram3",
                           "leader2", "corner1", "lane1", "first1", "bodies3"})
    EXPECT_EQ(segments(*module, name), static_cast<uint32_t>(std::string(name).back() - '0')) << name;
}

/// Whole numbers of an unknown distance never meet: a work-efficient scan has one place per level where lanes might.
TEST(LockStep, ScanOfABlockByLevels) {
  auto module = load(R"(extern "C" __global__ void k(int* d) { __shared__ int s[512]; int t = Index::tx(), o = 1; s[2 * t] = d[2 * t]; s[2 * t + 1] = d[2 * t + 1];
    for (int n = 256; n > 0; n >>= 1) { __syncthreads(); if (t < n) { int a = o * (2 * t + 1) - 1, b = o * (2 * t + 2) - 1; s[b] += s[a]; } o *= 2; }
    if (t == 0) s[511] = 0;
    for (int n = 1; n < 512; n *= 2) { o >>= 1; __syncthreads(); if (t < n) { int a = o * (2 * t + 1) - 1, b = o * (2 * t + 2) - 1; int x = s[a]; s[a] = s[b]; s[b] += x; } }
    __syncthreads(); d[2 * t] = s[2 * t]; d[2 * t + 1] = s[2 * t + 1]; })");
  ASSERT_TRUE(module);
  auto data = numbers(512), expected = data;
  std::exclusive_scan(expected.begin(), expected.end(), expected.begin(), 0);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {256}), data.data()));
  EXPECT_EQ(data, expected);
  EXPECT_LE(segments(*module, "k"), 5u);
}

}  // namespace
}  // namespace mneme::host::test
