// SPDX-License-Identifier: Apache-2.0
/// Numbers of places in shared memory, asynchronous copies into it, and warp operations that name no lanes.
#include "support.h"

namespace mneme::host::test {
namespace {

const char* const kHelpers = R"cu(
typedef void __attribute__((address_space(3)))* Place;
__device__ inline unsigned number(const void* p) { return (unsigned)(size_t)(Place)p; }
__device__ inline void* generic(unsigned n) { return (void*)(Place)(size_t)n; }
)cu";

std::shared_ptr<LoadedModule> loadWithHelpers(const std::string& source) { return load(kHelpers + source); }

TEST(SharedAssembly, LoadsAndStoresByNumber) {
  auto module = loadWithHelpers(R"cu(extern "C" __global__ void k(int* out) { __shared__ int before[7]; __shared__ int s[64]; int t = Index::tx(); before[t % 7] = -1;
    unsigned at = number(&s[t]); int v, w;
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(t * 3)); __syncthreads();
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(number(&s[63 - t])));
    asm volatile("ld.shared.b32 %0, [%1+4];" : "=r"(w) : "r"(number(&s[t % 32])));
    unsigned long wide; asm("{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }" : "=r"(at) : "l"(&s[5]));
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(wide) : "l"(&s[5]));
    out[t] = v; out[64 + t] = w; out[128 + t] = (at == number(&s[5])) + 2 * (wide == at) + 4 * (generic(at) == &s[5]) + 8 * (at < 400); })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(192);
  EXPECT_RUNS(launch(*module, "k", shape({2}, {64}), out.data()));
  for (int t = 0; t < 64; ++t) {
    EXPECT_EQ(out[t], (63 - t) * 3);
    EXPECT_EQ(out[64 + t], (t % 32 + 1) * 3);
    EXPECT_EQ(out[128 + t], 15);
  }
}

TEST(SharedAssembly, VectorsAndAtomics) {
  auto module = loadWithHelpers(R"cu(extern "C" __global__ void k(int* out) { __shared__ __attribute__((aligned(16))) int s[8]; int t = Index::tx(); int old;
    if (t < 2) asm volatile("st.shared.v4.s32 [%0], {%1,%2,%3,%4};" :: "r"(number(&s[4 * t])), "r"(t), "r"(1), "r"(2), "r"(3)); __syncthreads();
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(number(&s[1])), "r"(2));
    asm volatile("red.shared.max.s32 [%0], %1;" :: "r"(number(&s[6])), "r"(t)); __syncthreads();
    int a, b, c, d; asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(number(s + 4)));
    out[t] = old; out[32 + t] = s[1]; out[64 + t] = a * 1000 + b * 100 + c + d * 10000; })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(96);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data()));
  int sum = 0;
  for (int t = 0; t < 32; ++t) {
    sum += out[t];
    EXPECT_EQ(out[32 + t], 65);
    EXPECT_EQ(out[64 + t], 31131);
  }
  EXPECT_EQ(sum, 32 * 1 + 2 * 31 * 32 / 2);
}

TEST(SharedAssembly, AsynchronousCopies) {
  auto module = loadWithHelpers(R"cu(extern "C" __global__ void k(const int* in, int* out) { __shared__ __attribute__((aligned(16))) int s[128]; int t = Index::tx();
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" :: "r"(number(s + 4 * t)), "l"(in + 4 * t), "n"(16));
    asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group %0;" :: "n"(0)); __syncthreads();
    int sum = s[127 - t] + s[t]; __syncthreads();
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;" :: "r"(number(s + t)), "l"(in + 64 + t), "n"(4), "r"(t % 2 ? 4 : 0));
    asm volatile("cp.async.wait_all;"); __syncthreads(); out[t] = sum; out[32 + t] = s[t]; })cu");
  ASSERT_TRUE(module);
  std::vector<int> in(128), out(64);
  for (int i = 0; i < 128; ++i) in[i] = i * i;
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), in.data(), out.data()));
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], t * t + (127 - t) * (127 - t));
    EXPECT_EQ(out[32 + t], t % 2 ? (64 + t) * (64 + t) : 0);
  }
}

TEST(SharedAssembly, AnotherSizeOfCopyIsRefused) {
  auto module = loadWithHelpers(R"cu(extern "C" __global__ void k(const int* in) { __shared__ int s[32];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 12;" :: "r"(number(s)), "l"(in)); })cu");
  ASSERT_TRUE(module);
  EXPECT_FALSE(module->kernel("k"));
}

TEST(WithoutMask, ShufflesAndVotesOfTheLanesThatAreThere) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { int t = Index::tx();
    out[t] = __nvvm_shfl_down_i32(t, 2, 31); out[32 + t] = __nvvm_shfl_idx_i32(t * 5, 3, 31);
    if (t % 2) { out[64 + t] = __nvvm_vote_ballot(t > 20); out[96 + t] = __nvvm_vote_all(t % 2) + 2 * __nvvm_vote_any(t == 4); }
    else { out[64 + t] = __nvvm_vote_ballot(true); out[96 + t] = __nvvm_vote_all(t < 30) + 2 * __nvvm_vote_any(t == 4); }
    float f = t; for (int d = 16; d > 0; d /= 2) f += __nvvm_shfl_bfly_f32(f, d, 31); out[128 + t] = f; })");
  ASSERT_TRUE(module);
  std::vector<int> out(160);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data()));
  unsigned odd = 0, even = 0x55555555u;
  for (int t = 21; t < 32; t += 2) odd |= 1u << t;
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], t < 30 ? t + 2 : t);
    EXPECT_EQ(out[32 + t], 15);
    EXPECT_EQ(static_cast<unsigned>(out[64 + t]), t % 2 ? odd : even);
    EXPECT_EQ(out[96 + t], t % 2 ? 1 : 2);
    EXPECT_EQ(out[128 + t], 496);
  }
}

TEST(Election, OfTheLowestLaneOfTheMask) {
  auto module = load(R"cu(__device__ inline int elected(unsigned mask) { int is;
      asm volatile("{\n\t .reg .pred P_OUT;\n\t elect.sync _|P_OUT, %1;\n\t selp.b32 %0, 1, 0, P_OUT;\n}" : "=r"(is) : "r"(mask)); return is; }
    extern "C" __global__ void k(int* out) { int t = Index::tx(); out[t] = elected(0xffffffffu); if (t >= 8) out[t] += 2 * elected(0xffffff00u); })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(32);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data()));
  for (int t = 0; t < 32; ++t) EXPECT_EQ(out[t], t == 0 ? 1 : t == 8 ? 2 : 0) << t;
}

TEST(WithoutMask, OldSpellingsInAssembly) {
  auto module = load(R"cu(extern "C" __global__ void k(int* out) { int t = Index::tx(), v;
    asm volatile("shfl.up.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(t), "r"(1), "r"(0)); out[t] = v;
    asm volatile("shfl.bfly.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(t), "r"(1), "r"(31)); out[32 + t] = v; })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(64);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data()));
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], t ? t - 1 : 0);
    EXPECT_EQ(out[32 + t], t ^ 1);
  }
}

}  // namespace
}  // namespace mneme::host::test
