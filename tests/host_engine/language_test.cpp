// SPDX-License-Identifier: Apache-2.0
/// What C++ device code does beyond arithmetic: pointers to functions, virtual calls, recursion, printf, faults, half.
#include <bit>
#include <chrono>
#include <cmath>

#include "support.h"

namespace mneme::host::test {
namespace {

TEST(Language, FunctionPointersVirtualCallsAndRecursion) {
  auto module = load(R"cu(
    __device__ __noinline__ int plus(int x) { return x + Index::tx(); } __device__ __noinline__ int times(int x) { return x * Index::bx(); }
    typedef int (*F)(int); __device__ F chosen[2] = {plus, times};
    __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    struct A { __device__ virtual int f(int x) { return x; } }; struct B : A { int k; __device__ B(int v) : k(v) {} __device__ int f(int x) override { return x * k + Index::tx(); } };
    extern "C" __global__ void k(int* out, int which) { int t = Index::tx(); A a; B b(5); A* p = which ? (A*)&b : &a;
      out[t] = chosen[which](100) + 1000 * fib(t % 10) + 100000 * p->f(2); })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(32);
  const int fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  for (int which = 0; which < 2; ++which) {
    EXPECT_RUNS(launch(*module, "k", shape({1}, {32}), out.data(), which));
    for (int t = 0; t < 32; ++t) ASSERT_EQ(out[t], (which ? 0 : 100 + t) + 1000 * fib[t % 10] + 100000 * (which ? 10 + t : 2)) << t;
  }
}

TEST(Language, VirtualObjectsTravelBetweenKernels) {
  auto module = load(R"cu(inline __device__ void* operator new(size_t, void* p) { return p; }
    struct A { __device__ virtual int f() = 0; }; struct B : A { __device__ int f() override { return 7 + Index::tx(); } };
    extern "C" __global__ void make(char* room, A** out) { *out = new (room) B; }
    extern "C" __global__ void use(A** a, int* out) { out[Index::tx()] = (*a)->f(); })cu");
  ASSERT_TRUE(module);
  alignas(16) char room[16];
  void* object = nullptr;
  std::vector<int> out(4);
  EXPECT_RUNS(launch(*module, "make", shape({1}, {1}), &room[0], &object));
  EXPECT_RUNS(launch(*module, "use", shape({1}, {4}), &object, out.data()));
  EXPECT_EQ(out, (std::vector<int>{7, 8, 9, 10}));
  EXPECT_TRUE(isCodeAddress(*reinterpret_cast<uint64_t*>(room)));
}

TEST(Language, SharedMemoryInFunctionsCalledThroughPointers) {
  auto module = load(R"cu(__shared__ int unused[7]; __shared__ int box[32]; typedef int (*F)(int);
    __device__ __noinline__ int peek(int i) { return box[i]; } __device__ F chosen = peek; __device__ __noinline__ int waits(int i) { __syncthreads(); return i; } __device__ F other = waits;
    extern "C" __global__ void k(int* out) { extern __shared__ int more[]; int t = Index::tx(); box[t] = t * 3; more[t] = t; __syncthreads(); out[t] = chosen(31 - t) + more[t]; }
    extern "C" __global__ void bad(int* out) { out[0] = other(1); })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(32);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {32}, 128), out.data()));
  for (int t = 0; t < 32; ++t) EXPECT_EQ(out[t], (31 - t) * 3 + t);
  EXPECT_EQ(launch(*module, "bad", shape({1}, {2}), out.data()).fault, Fault::Trap);
}

TEST(Language, PrintfGoesToStdout) {
  auto module = load(R"cu(extern "C" __global__ void k(const char* s) { if (global() == 3) printf("%d %5.2f [%-4s] %lld %c %x%%\n", 42, 3.14159, s, 1ll << 40, 'z', 255u); })cu");
  ASSERT_TRUE(module);
  const char* text = "ab";
  testing::internal::CaptureStdout();
  EXPECT_RUNS(launch(*module, "k", shape({2}, {4}), text));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "42  3.14 [ab  ] 1099511627776 z ff%\n");
}

TEST(Language, AssertPrintsCudasLine) {
  auto module = load(R"cu(extern "C" __global__ void k(int n) { if (global() == n) __assertfail("n != 3", "file.cu", 12, "void k(int)", 1); })cu");
  ASSERT_TRUE(module);
  testing::internal::CaptureStderr();
  auto result = launch(*module, "k", shape({2}, {4}), 6);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "file.cu:12: void k(int): block: [1,0,0], thread: [2,0,0] Assertion `n != 3` failed.\n");
  EXPECT_EQ(result.fault, Fault::Assert);
  EXPECT_NE(result.message.find("kernel k: "), std::string::npos) << result.message;
}

TEST(Language, FaultsAreErrorsAndTheEngineGoesOn) {
  auto module = load(R"cu(extern "C" __global__ void trap() { if (Index::tx() == 2) __builtin_trap(); } extern "C" __global__ void wild(int* p) { p[global()] = 1; }
    extern "C" __global__ void divide(int* p) { p[0] = p[0] / p[1]; } extern "C" __global__ void fine(int* p) { p[0] = 5; })cu");
  ASSERT_TRUE(module);
  for (int round = 0; round < 3; ++round) {
    auto result = launch(*module, "trap", shape({3}, {4}));
    EXPECT_EQ(result.fault, Fault::Trap);
    EXPECT_NE(result.message.find("thread (2,0,0)"), std::string::npos) << result.message;
    result = launch(*module, "wild", shape({3000}, {4}), reinterpret_cast<int*>(16));
    EXPECT_EQ(result.fault, Fault::IllegalAddress);
    EXPECT_NE(result.message.find("0x"), std::string::npos) << result.message;
    int values[2] = {1, 0};
    EXPECT_NE(launch(*module, "divide", shape({1}, {1}), &values[0]).fault, Fault::None);
    EXPECT_RUNS(launch(*module, "fine", shape({1}, {1}), &values[0]));
    EXPECT_EQ(values[0], 5);
  }
}

TEST(Language, ExitLeavesOneThread) {
  auto module = load(R"cu(extern "C" __global__ void k(int* out) { int t = Index::tx(); if (t == 3) asm volatile("exit;"); __syncthreads(); out[t] = t; })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(8, -1);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {8}), out.data()));
  EXPECT_EQ(out, (std::vector<int>{0, 1, 2, -1, 4, 5, 6, 7}));
}

/// What libdevice's sin and cos do with large arguments: 128 bits in four registers.
TEST(Language, AssemblyWithCarries) {
  auto module = load(R"cu(typedef unsigned long long u64;
    extern "C" __global__ void k(const u64* in, u64* out) { u64 a = in[0], b = in[1], c = in[2], low, high;
      asm("{ .reg .u32 r0, r1, r2, r3, alo, ahi, blo, bhi, clo, chi;\n mov.b64 {alo,ahi}, %2; mov.b64 {blo,bhi}, %3; mov.b64 {clo,chi}, %4;"
          "mad.lo.cc.u32 r0, alo, blo, clo; madc.hi.cc.u32 r1, alo, blo, chi; madc.hi.u32 r2, alo, bhi, 0;"
          "mad.lo.cc.u32 r1, alo, bhi, r1; madc.hi.cc.u32 r2, ahi, blo, r2; madc.hi.u32 r3, ahi, bhi, 0;"
          "mad.lo.cc.u32 r1, ahi, blo, r1; madc.lo.cc.u32 r2, ahi, bhi, r2; addc.u32 r3, r3, 0;"
          "mov.b64 %0, {r0,r1}; mov.b64 %1, {r2,r3}; }" : "=l"(low), "=l"(high) : "l"(a), "l"(b), "l"(c));
      out[0] = low; out[1] = high;
      asm("{ .reg .u64 r0; sub.cc.u64 %0, %2, %3; subc.u64 %1, %4, 0xff; }" : "=l"(low), "=l"(high) : "l"(a), "l"(b), "l"(c));
      out[2] = low; out[3] = high; int sign; double d = (double)a;
      asm("mul.hi.s32 %0, %1, %2;" : "=r"(sign) : "r"((int)a), "r"((int)b)); out[4] = (unsigned)sign;
      asm("{ .reg .pred p; setp.geu.f64 p, %1, %2; selp.f64 %0, %1, %2, p; }" : "=d"(d) : "d"(d), "d"((double)b)); out[5] = (u64)d; })cu");
  ASSERT_TRUE(module);
  using Wide = unsigned __int128;
  for (const std::array<uint64_t, 3>& in : {std::array<uint64_t, 3>{~0ull, ~0ull, ~0ull}, {1, 2, 3}, {0x8000000080000000, 0xffffffff00000001, 0},
                                            {0x123456789abcdef0, 0xfedcba9876543210, 0x1111111122222222}}) {
    std::vector<uint64_t> out(6);
    EXPECT_RUNS(launch(*module, "k", shape({1}, {1}), in.data(), out.data()));
    const Wide product = Wide{in[0]} * in[1] + in[2];
    const Wide difference = (Wide{in[2]} << 64 | in[0]) - (Wide{0xff} << 64 | in[1]);
    EXPECT_EQ(out[0], static_cast<uint64_t>(product));
    EXPECT_EQ(out[1], static_cast<uint64_t>(product >> 64));
    EXPECT_EQ(out[2], static_cast<uint64_t>(difference));
    EXPECT_EQ(out[3], static_cast<uint64_t>(difference >> 64));
    EXPECT_EQ(out[4], static_cast<uint32_t>((int64_t{static_cast<int>(in[0])} * static_cast<int>(in[1])) >> 32));
  }
}

TEST(Language, DeviceHeap) {
  auto module = load(R"cu(extern "C" __global__ void k(int* out) { int* p = (int*)malloc(40); p[9] = global(); out[global()] = p[9]; free(p); })cu");
  ASSERT_TRUE(module);
  std::vector<int> out(64);
  EXPECT_RUNS(launch(*module, "k", shape({8}, {8}), out.data()));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], i);
}

TEST(Language, HalfAndVectors) {
  auto module = load(R"cu(typedef float f4 __attribute__((ext_vector_type(4)));
    extern "C" __global__ void k(const __fp16* in, f4* out, _Float16* h) { int t = Index::tx(); float v = in[t]; out[t] = f4{v, v * 2, v * 3, v * 4}; h[t] = (_Float16)(v + (double)v) * (_Float16)2;
      unsigned short bits; asm("{  cvt.rn.f16.f32 %0, %1;}\n" : "=h"(bits) : "f"(v)); out[t].w = bits; })cu");
  ASSERT_TRUE(module);
  std::vector<_Float16> in(16), h(16);
  alignas(16) float out[64];
  for (int i = 0; i < 16; ++i) in[i] = static_cast<_Float16>(i + 0.5f);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {16}), in.data(), &out[0], h.data()));
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(out[4 * i + 2], (i + 0.5f) * 3);
    EXPECT_EQ(static_cast<float>(h[i]), (i + 0.5f) * 4);
    EXPECT_EQ(out[4 * i + 3], static_cast<float>(std::bit_cast<unsigned short>(in[i])));
  }
}

TEST(Language, LibdeviceByName) {
  auto module = load(R"cu(extern "C" { __device__ double __nv_sin(double); __device__ float __nv_rsqrtf(float); __device__ double __nv_erfcinv(double); __device__ double __nv_normcdf(double);
    __device__ double __nv_cyl_bessel_i0(double); __device__ float __nv_fadd_ru(float, float); __device__ float __nv_fadd_rd(float, float); __device__ int __nv_double2int_rn(double); __device__ double __nv_sinpi(double); __device__ int __nv_popcll(long long); }
    extern "C" __global__ void k(double* out) { out[0] = __nv_sin(1.0); out[1] = __nv_rsqrtf(16.0f); out[2] = __nv_erfcinv(0.25); out[3] = __nv_normcdf(1.0);
      out[4] = __nv_cyl_bessel_i0(2.0); out[5] = __nv_fadd_ru(1.0f, 1e-20f) - 1.0f; out[6] = __nv_fadd_rd(1.0f, 1e-20f) - 1.0f; out[7] = __nv_double2int_rn(2.5); out[8] = __nv_sinpi(1.5); out[9] = __nv_popcll(0xff00ff); out[10] = __nv_double2int_rn(1e20); })cu");
  ASSERT_TRUE(module);
  double out[11] = {};
  EXPECT_RUNS(launch(*module, "k", shape({1}, {1}), &out[0]));
  EXPECT_EQ(out[0], std::sin(1.0));
  EXPECT_EQ(out[1], 0.25);
  EXPECT_NEAR(std::erfc(out[2]), 0.25, 1e-15);
  EXPECT_NEAR(out[3], 0.8413447460685429, 1e-15);
  EXPECT_NEAR(out[4], 2.2795853023360673, 1e-14);
  EXPECT_GT(out[5], 0);
  EXPECT_EQ(out[6], 0);
  EXPECT_EQ(out[7], 2);
  EXPECT_EQ(out[8], -1);
  EXPECT_EQ(out[9], 16);
  EXPECT_EQ(out[10], 2147483647);
}

TEST(Language, AtomicsAndReductionsInAssembly) {
  auto module = load(R"cu(extern "C" __global__ void k(unsigned* p, long long* q, float* f, unsigned* olds) { unsigned t = Index::tx(), old;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(2)); olds[t] = old;
    asm volatile("atom.add.release.gpu.u32 %0,[%1],%2;" : "=r"(old) : "l"(p), "r"(1) : "memory");
    asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" :: "l"(p + 1), "r"((int)t - 100));
    asm volatile("red.global.max.u32 [%0], %1;" :: "l"(p + 2), "r"((int)t - 100));
    asm volatile("red.or.release.cta.b32 [%0],%1;" :: "l"(p + 3), "r"(1 << (t % 8)));
    asm volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(old) : "l"(p + 4), "r"(9));
    asm volatile("red.global.add.f32 [%0], %1;" :: "l"(f), "f"(0.5f));
    asm volatile("red.global.min.s64 [%0], %1;" :: "l"(q), "l"(-5ll * t));
    asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(p + 5), "r"(t), "r"(t + 1)); })cu");
  ASSERT_TRUE(module);
  std::vector<unsigned> p(6), olds(64);
  p[1] = static_cast<unsigned>(-1000);
  long long q = 0;
  float f = 0;
  EXPECT_RUNS(launch(*module, "k", shape({1}, {64}), p.data(), &q, &f, olds.data()));
  EXPECT_EQ(p, (std::vector<unsigned>{192, static_cast<unsigned>(-37), 0xffffffffu - 36, 0xff, 4, 64}));
  EXPECT_EQ(q, -5 * 63);
  EXPECT_EQ(f, 32.0f);
  EXPECT_EQ(olds[0], 0u);
}

TEST(Language, WideProductsAndDifferencesInAssembly) {
  auto module = load(R"cu(extern "C" __global__ void k(int a, int b, long long* out) { unsigned u; int s;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(out[0]) : "r"(a), "r"(b)); asm("mul.wide.s32 %0, %1, %2;" : "=l"(out[1]) : "r"(a), "r"(b));
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(u) : "r"(a), "r"(b), "r"(7)); asm("sad.s32 %0, %1, %2, %3;" : "=r"(s) : "r"(a), "r"(b), "r"(7)); out[2] = u; out[3] = s; })cu");
  ASSERT_TRUE(module);
  std::vector<long long> out(4);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {1}), -3, 5, out.data()));
  EXPECT_EQ(out, (std::vector<long long>{0xfffffffdll * 5, -15, 0xfffffff8ll + 7, 15}));
}

TEST(Language, LogicOfThreeByItsTable) {
  auto module = load(R"cu(extern "C" __global__ void k(unsigned a, unsigned b, unsigned c, unsigned* out) {
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(out[0]) : "r"(a), "r"(b), "r"(c)); asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(out[1]) : "r"(a), "r"(b), "r"(c));
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(out[2]) : "r"(a), "r"(b), "r"(c), "n"(0x10)); })cu");
  ASSERT_TRUE(module);
  const unsigned a = 0x12345678u, b = 0x9abcdef0u, c = 0x0f1e2d3cu;
  std::vector<unsigned> out(3);
  EXPECT_RUNS(launch(*module, "k", shape({1}, {1}), a, b, c, out.data()));
  EXPECT_EQ(out, (std::vector<unsigned>{a ^ b ^ c, (a & b) | (~a & c), a & ~b & ~c}));
}

/// In nanoseconds, as on a GPU, and it goes on.
TEST(Language, GlobalTimer) {
  auto module = load(R"cu(extern "C" __global__ void k(unsigned long long* out) { unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(out[0])); while (now < out[0] + 2000000) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); out[1] = now; })cu");
  ASSERT_TRUE(module);
  std::vector<unsigned long long> out(2);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_RUNS(launch(*module, "k", shape({1}, {1}), out.data()));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(2));
  EXPECT_GE(out[1], out[0] + 2000000);
}

}  // namespace
}  // namespace mneme::host::test
