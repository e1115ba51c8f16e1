// SPDX-License-Identifier: Apache-2.0
/// Warp operations with a mask: shuffles, votes, matches, reductions.
#include "support.h"

namespace mneme::host::test {
namespace {

TEST(Warp, ShuffleDownReducesEveryWarp) {
  auto module = load(R"(extern "C" __global__ void k(const float* in, float* out) {
    int t = global(); float v = in[t];
    for (int d = 16; d > 0; d /= 2) v += __nvvm_shfl_sync_down_f32(0xffffffffu, v, d, 31);
    if ((t & 31) == 0) out[t / 32] = v; })");
  ASSERT_TRUE(module);
  std::vector<float> in(256), out(8);
  for (int i = 0; i < 256; ++i) in[i] = i;
  EXPECT_RUNS(launch(*module, "k", shape({2}, {128}), in.data(), out.data()));
  for (int w = 0; w < 8; ++w) EXPECT_EQ(out[w], 32 * 32 * w + 496);
}

TEST(Warp, ShuffleModesAndWidths) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { int t = Index::tx(); unsigned f = 0xffffffffu;
    out[t] = __nvvm_shfl_sync_idx_i32(f, t, 5, 31); out[32 + t] = __nvvm_shfl_sync_up_i32(f, t, 3, 0);
    out[64 + t] = __nvvm_shfl_sync_bfly_i32(f, t, 9, 31);
    out[96 + t] = __nvvm_shfl_sync_idx_i32(f, t, 2, (24 << 8) | 31); out[128 + t] = __nvvm_shfl_sync_down_i32(f, t, 2, (24 << 8) | 31); })");
  ASSERT_TRUE(module);
  std::vector<int> out(160);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data()));
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], 5);
    EXPECT_EQ(out[32 + t], t < 3 ? t : t - 3);
    EXPECT_EQ(out[64 + t], t ^ 9);
    EXPECT_EQ(out[96 + t], (t & ~7) + 2);
    EXPECT_EQ(out[128 + t], (t & 7) + 2 < 8 ? t + 2 : t);
  }
}

TEST(Warp, VotesMatchesAndReductions) {
  auto module = load(R"(extern "C" __global__ void k(unsigned* out) { int t = Index::tx(); unsigned f = 0xffffffffu;
    out[t] = __nvvm_vote_ballot_sync(f, t % 3 == 0); out[32 + t] = __nvvm_vote_all_sync(f, t < 32) + 2 * __nvvm_vote_any_sync(f, t == 40) + 4 * __nvvm_vote_uni_sync(f, t == 1);
    out[64 + t] = __nvvm_match_any_sync_i32(f, t / 10); out[96 + t] = __nvvm_redux_sync_add(t, f); out[128 + t] = __nvvm_redux_sync_min(t - 7, f);
    int p; out[160 + t] = __nvvm_match_all_sync_i32p(f, 9, &p) + p; out[192 + t] = __nvvm_redux_sync_umax(t * 2, f); })");
  ASSERT_TRUE(module);
  std::vector<unsigned> out(224);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data()));
  unsigned thirds = 0;
  for (int t = 0; t < 32; t += 3) thirds |= 1u << t;
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], thirds);
    EXPECT_EQ(out[32 + t], 1u);
    EXPECT_EQ(out[64 + t], t < 10 ? 0x3ffu : t < 20 ? 0xffc00u : t < 30 ? 0x3ff00000u : 0xc0000000u);
    EXPECT_EQ(out[96 + t], 496u);
    EXPECT_EQ(static_cast<int>(out[128 + t]), -7);
    EXPECT_EQ(out[160 + t], 0u);
    EXPECT_EQ(out[192 + t], 62u);
  }
}

TEST(Warp, PartialMasksInBranchesAndAfterExit) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { int t = Index::tx(); if (t >= 24) return;
    if (t < 8) out[t] = __nvvm_shfl_sync_bfly_i32(0xffu, t, 7, 31);
    else { __nvvm_bar_warp_sync(0x00ffff00u); out[t] = __nvvm_vote_ballot_sync(0xffffff00u, t & 1); }
    out[t] += __nvvm_redux_sync_add(1, 0xffffffffu) * 1000; })");
  ASSERT_TRUE(module);
  std::vector<int> out(24);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data()));
  for (int t = 0; t < 24; ++t) EXPECT_EQ(out[t], 24000 + (t < 8 ? t ^ 7 : 0x00aaaa00)) << t;
}

TEST(Warp, WarpsGoOnAloneAndMeetAtBlockBarriers) {
  auto module = load(R"(extern "C" __global__ void k(const int* in, int* out) { __shared__ int s[32]; int t = Index::tx(); int v = in[t];
    for (int d = 16; d > 0; d /= 2) v += __nvvm_shfl_sync_bfly_i32(0xffffffffu, v, d, 31);
    if (t % 32 == 0) s[t / 32] = v; __syncthreads();
    if (t < 32) { v = t < Index::nx() / 32 ? s[t] : 0; for (int d = 16; d > 0; d /= 2) v += __nvvm_shfl_sync_bfly_i32(0xffffffffu, v, d, 31); if (t == 0) out[0] = v; } })");
  ASSERT_TRUE(module);
  std::vector<int> in(1024, 3);
  int out = 0;
  EXPECT_RUNS(launch(*module, "k", shape({1}, {1024}), in.data(), &out));
  EXPECT_EQ(out, 3072);
}

TEST(Warp, MissingLanesAreADeadlockNotAHang) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { int t = Index::tx();
    if (t < 4) out[t] = __nvvm_vote_ballot_sync(0xffffffffu, 1); else { __syncthreads(); out[t] = 1; } })");
  ASSERT_TRUE(module);
  std::vector<int> out(32);
  auto result = launch(*module, "k", shape({1}, {32}), out.data());
  EXPECT_EQ(result.fault, Fault::Trap);
  EXPECT_NE(result.message.find("deadlock"), std::string::npos) << result.message;
}

TEST(Warp, BarrierReductions) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { int t = Index::tx();
    int a = __nvvm_bar0_popc(t % 3 == 0), b = __nvvm_bar0_and(t < 100), c = __nvvm_bar0_or(t == 63); out[t] = a * 100 + b * 10 + c; })");
  ASSERT_TRUE(module);
  std::vector<int> out(64);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {64}), out.data()));
  for (int v : out) EXPECT_EQ(v, 2211);
}

TEST(Warp, AssemblyOfCub) {
  auto module = load(R"cu(extern "C" __global__ void k(int* out, unsigned* same) { int t = Index::tx(), v = 1, sum;
    for (int d = 1; d < 32; d *= 2) {
      asm volatile("{  .reg .s32 r0;  .reg .pred p;  shfl.sync.up.b32 r0|p, %1, %2, %3, %5;  @p add.s32 r0, r0, %4;  mov.s32 %0, r0;}"
        : "=r"(sum) : "r"(v), "r"(d), "r"(0), "r"(v), "r"(0xffffffffu)); v = sum; }
    out[t] = v; unsigned mask, lane, le; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
    asm volatile("{\n .reg .pred p;\n and.b32 %0, %1, %2; setp.eq.u32 p, %0, %2;\n vote.ballot.sync.b32 %0, p, 0xffffffff;\n @!p not.b32 %0, %0;\n}\n" : "=r"(mask) : "r"(t), "r"(4));
    same[t] = mask; same[32 + t] = le - (lane == 31 ? 0xffffffffu : (2u << lane) - 1); unsigned f; asm("bfe.u32 %0, %1, %2, %3;" : "=r"(f) : "r"(0xabcdu), "r"(4), "r"(8)); same[64 + t] = f; })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(32);
  std::vector<unsigned> same(96);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data(), same.data()));
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], t + 1);
    EXPECT_EQ(same[t], (t & 4) ? 0xf0f0f0f0u : 0x0f0f0f0fu);
    EXPECT_EQ(same[32 + t], 0u);
    EXPECT_EQ(same[64 + t], 0xbcu);
  }
}

TEST(Warp, NamedBarriersOfTwoHalves) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { __shared__ int s[128]; int t = Index::tx(); s[t] = t;
    if (t < 64) { asm volatile("bar.sync 1, 64;" ::: "memory"); out[t] = s[63 - t]; } else { asm volatile("bar.sync %0, %1;" :: "r"(2), "r"(64) : "memory"); out[t] = s[191 - t]; } })");
  ASSERT_TRUE(module);
  std::vector<int> out(128);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {128}), out.data()));
  for (int t = 0; t < 128; ++t) EXPECT_EQ(out[t], t < 64 ? 63 - t : 191 - t);
}

/// Who stands at activemask together, also in a loop that lanes leave one after another.
TEST(Warp, ActiveMaskIsWhoIsThere) {
  auto module = load(R"(extern "C" __global__ void k(unsigned* out) { int t = Index::tx(); out[t] = out[32 + t] = 0;
    if (t % 3 == 0) out[t] = __nvvm_activemask(); else if (t < 10) out[t] = __nvvm_activemask();
    for (int i = 0; i < t % 2; ++i) out[32 + t] = __nvvm_activemask(); })");
  ASSERT_TRUE(module);
  std::vector<unsigned> out(64);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data()));
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], t % 3 == 0 ? 0x49249249u : t < 10 ? 0x1b6u : 0u) << t;
    EXPECT_EQ(out[32 + t], t % 2 ? 0xaaaaaaaau : 0u) << t;
  }
}

/// The reduction of CUDA's early years: the lanes of a warp go in step, without a barrier between them.
TEST(Warp, VolatileSharedMemoryWithoutBarriers) {
  auto module = load(R"(__device__ void last(volatile int* s, int t) {
      s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; }
    extern "C" __global__ void k(const int* in, int* out) { __shared__ int s[256]; int t = Index::tx(); s[t] = in[t]; __syncthreads();
    for (int d = 128; d > 32; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
    if (t < 32) last(s, t);
    if (t == 0) out[0] = s[0]; })");
  ASSERT_TRUE(module);
  std::vector<int> in(256);
  for (int i = 0; i < 256; ++i) in[i] = i * i;
  int out = 0, expected = 0;
  for (int v : in) expected += v;
  EXPECT_RUNS(launch(*module, "k", shape({1}, {256}), in.data(), &out));
  EXPECT_EQ(out, expected);
}

/// A flag in volatile shared memory, between warps: in step, and yet nobody starves.
TEST(Warp, VolatileFlagBetweenWarps) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { __shared__ volatile int flag, value; int t = Index::tx();
    if (t == 0) flag = 0; __syncthreads();
    if (t < 32) { while (flag == 0) {} out[t] = value; } else if (t == 63) { value = 7; __nvvm_membar_cta(); flag = 1; } })");
  ASSERT_TRUE(module);
  std::vector<int> out(32);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {64}), out.data()));
  for (int v : out) EXPECT_EQ(v, 7);
}

}  // namespace
}  // namespace mneme::host::test
