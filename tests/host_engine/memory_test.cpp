// SPDX-License-Identifier: Apache-2.0
/// Atomics and device variables.
#include "backend/host/memory.h"
#include "support.h"

namespace mneme::host::test {
namespace {

void* addressOf(LoadedModule& module, const std::string& part) {
  for (auto& variable : module.variables())
    if (variable.name.find(part) != std::string::npos) return reinterpret_cast<void*>(variable.address);
  return nullptr;
}

TEST(Atomics, EveryWidthCountsFromAllCores) {
  auto module = load(R"(extern "C" __global__ void k(int* i, unsigned long long* l, float* f, double* d, unsigned* inc, int* cas, int* most) {
    __nvvm_atom_add_gen_i(i, 1); __nvvm_atom_add_gen_ll((long long*)l, 2); __nvvm_atom_add_gen_f(f, 1.0f); __nvvm_atom_add_gen_d(d, 0.5);
    __nvvm_atom_inc_gen_ui(inc, 9); __nvvm_atom_max_gen_i(most, global());
    int old = *(volatile int*)cas, seen; do { seen = old; old = __nvvm_atom_cas_gen_i(cas, seen, seen + 3); } while (old != seen); })");
  ASSERT_TRUE(module);
  int i = 0, cas = 0, most = -5;
  unsigned inc = 0;
  unsigned long long l = 0;
  float f = 0;
  double d = 0;
  EXPECT_RUNS(launch(*module, "k", shape({1000}, {100}), &i, &l, &f, &d, &inc, &cas, &most));
  EXPECT_EQ(i, 100000);
  EXPECT_EQ(l, 200000u);
  EXPECT_EQ(f, 100000.0f);
  EXPECT_EQ(d, 50000.0);
  EXPECT_EQ(inc, 0u);
  EXPECT_EQ(cas, 300000);
  EXPECT_EQ(most, 99999);
}

TEST(Atomics, SharedHistogram) {
  auto module = load(R"(extern "C" __global__ void k(const unsigned char* in, int n, int* out) { __shared__ int bins[16]; int t = Index::tx();
    if (t < 16) bins[t] = 0; __syncthreads();
    for (int i = global(); i < n; i += Index::nx() * Index::gx()) __nvvm_atom_add_gen_i(&bins[in[i] & 15], 1);
    __syncthreads(); if (t < 16) __nvvm_atom_add_gen_i(&out[t], bins[t]); })");
  ASSERT_TRUE(module);
  std::vector<unsigned char> in(10007);
  std::vector<int> out(16), expected(16);
  for (size_t i = 0; i < in.size(); ++i) ++expected[(in[i] = i * 7 + i / 13) & 15];
  EXPECT_RUNS(launch(*module, "k", shape({7}, {96}), in.data(), int(in.size()), out.data()));
  EXPECT_EQ(out, expected);
}

TEST(Variables, SharedBetweenKernelsWhateverTheirLinkage) {
  auto module = load(R"(__device__ static int hidden; namespace { __device__ int anonymous[4]; } __constant__ float scale[3];
    __device__ int* slot() { static __device__ int local; return &local; }
    extern "C" __global__ void set(int v) { hidden = v; anonymous[v & 3] = v + 1; *slot() = v + 2; }
    extern "C" __global__ void get(float* out, int v) { out[0] = hidden; out[1] = anonymous[v & 3]; out[2] = *slot(); out[3] = scale[1]; })");
  ASSERT_TRUE(module);
  float* scale = static_cast<float*>(addressOf(*module, "scale"));
  ASSERT_TRUE(scale);
  scale[1] = 2.5f;
  float out[4] = {};
  EXPECT_RUNS(launch(*module, "set", shape({1}, {1}), 41));
  EXPECT_RUNS(launch(*module, "get", shape({1}, {1}), &out[0], 41));
  EXPECT_EQ(out[0], 41);
  EXPECT_EQ(out[1], 42);
  EXPECT_EQ(out[2], 43);
  EXPECT_EQ(out[3], 2.5f);
}

TEST(Variables, InitialisersAndLinks) {
  auto module = load(R"(__device__ int table[5] = {1, 2, 3, 4, 5}; __device__ int* middle = table + 2; struct N { const N* next; int v; };
    extern __device__ N b; __device__ N a = {&b, 10}; __device__ N b = {&a, 20}; __constant__ const int* ends[2] = {&table[0], &table[4]};
    extern "C" __global__ void k(int* out) { out[0] = *middle; out[1] = a.next->v; out[2] = b.next->v; out[3] = *ends[0] + *ends[1]; *middle = 9; out[4] = table[2]; })");
  ASSERT_TRUE(module);
  int out[5] = {};
  EXPECT_RUNS(launch(*module, "k", shape({1}, {1}), &out[0]));
  EXPECT_EQ(std::vector<int>(out, out + 5), (std::vector<int>{3, 20, 10, 6, 9}));
}

TEST(Variables, TwoLoadsOfOneModuleAreApart) {
  auto bytes = compileCuda(R"(__device__ int count; extern "C" __global__ void k(int* out) { out[0] = ++count; })");
  auto first = loadModule(bytes), second = loadModule(bytes);
  ASSERT_TRUE(first && second);
  int out = 0;
  for (int i = 0; i < 3; ++i) EXPECT_RUNS(launch(**first, "k", shape({1}, {1}), &out));
  EXPECT_EQ(out, 3);
  EXPECT_RUNS(launch(**second, "k", shape({1}, {1}), &out));
  EXPECT_EQ(out, 1);
}

TEST(Variables, PlacedWhereAsked) {
  auto bytes = compileCuda(R"(__device__ int here = 7; extern "C" __global__ void k() { here *= 2; })");
  int place = 0;
  MemoryRange range{reinterpret_cast<uint64_t>(&place), sizeof place, MemoryKind::Global, "here"};
  auto module = loadModule(bytes, std::span(&range, 1));
  ASSERT_TRUE(module) << module.error().message();
  EXPECT_RUNS(launch(**module, "k", shape({1}, {1})));
  EXPECT_EQ(place, 14);
}

}  // namespace
}  // namespace mneme::host::test
