// SPDX-License-Identifier: Apache-2.0
/// What cannot run is refused by name; hostile bitcode is an error; threads, forks and signals are safe.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "support.h"

namespace mneme::host::test {
namespace {

using testing::HasSubstr;

void expectRefused(const std::string& body, const std::string& reason) {
  auto module = load("extern \"C\" __device__ int elsewhere(int); extern \"C\" __global__ void k(int* out) { " + body + " }");
  ASSERT_TRUE(module);
  auto kernel = module->kernel("k");
  ASSERT_FALSE(kernel) << body;
  EXPECT_EQ(kernel.error().code(), ErrorCode::Unsupported);
  EXPECT_THAT(kernel.error().message(), HasSubstr("kernel k"));
  EXPECT_THAT(kernel.error().message(), HasSubstr(reason));
}

TEST(Refusal, NamesKernelAndReason) {
  expectRefused(R"(asm volatile("mma.something %0;" :: "r"(1));)", "mma.something");
  expectRefused("out[0] = elsewhere(1);", "elsewhere");
  expectRefused(R"(asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(0), "r"(1));)", "mbarrier.init");
}

TEST(Refusal, SynchronisationInARecursiveFunction) {
  auto module = load(R"(__device__ int deep(int n) { __syncthreads(); return n ? deep(n - 1) + 1 : 0; } extern "C" __global__ void k(int* out) { out[0] = deep(out[1]); })");
  ASSERT_TRUE(module);
  auto kernel = module->kernel("k");
  ASSERT_FALSE(kernel);
  EXPECT_THAT(kernel.error().message(), HasSubstr("deep"));
}

TEST(Refusal, UnknownKernelIsNotFound) {
  auto module = load(R"(extern "C" __global__ void k() {})");
  ASSERT_TRUE(module);
  auto kernel = module->kernel("nope");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code(), ErrorCode::NotFound);
}

TEST(Hostile, DamagedBitcodeIsAnError) {
  auto good = compileCuda(R"(__device__ int v[3]; extern "C" __global__ void k(int* out) { out[0] = v[1]; })");
  ASSERT_FALSE(loadModule({}));
  ASSERT_FALSE(loadModule(std::vector<std::byte>(100, std::byte{0x42})));
  for (size_t size : {size_t{4}, good.size() / 3, good.size() - 8}) EXPECT_FALSE(loadModule(std::span(good).first(size)));
  for (size_t at = 40; at < good.size(); at += good.size() / 12) {
    auto bad = good;
    bad[at] ^= std::byte{0x5a};
    auto module = loadModule(bad);
    if (module && !(*module)->kernelNames().empty()) static_cast<void>((*module)->kernel((*module)->kernelNames()[0]).has_value());
  }
}

TEST(Safety, LaunchesFromSeveralThreads) {
  auto module = load(R"(extern "C" __global__ void k(int* out, int v) { __shared__ int s[64]; int t = Index::tx(); s[t] = v; __syncthreads(); out[global()] = s[63 - t]; })");
  ASSERT_TRUE(module);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&, n] {
      std::vector<int> out(64 * 50);
      for (int round = 0; round < 50; ++round) {
        if (launch(*module, "k", shape({50}, {64}), out.data(), n * 100 + round).fault != Fault::None) ++wrong;
        for (int value : out) wrong += value != n * 100 + round;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// As tools that put their own handler before everyone's run it: with all signals blocked.
void blockSignalsDuring(int number) {
  struct sigaction action{};
  ASSERT_EQ(sigaction(number, nullptr, &action), 0);
  sigfillset(&action.sa_mask);
  action.sa_flags &= ~SA_NODEFER;
  ASSERT_EQ(sigaction(number, &action, nullptr), 0);
}

TEST(Safety, AFaultLeavesNoSignalBlocked) {
  auto module = load(R"(extern "C" __global__ void divide(int* p) { p[0] = p[0] / p[1]; })");
  ASSERT_TRUE(module);
  int values[2] = {1, 0};
  EXPECT_NE(launch(*module, "divide", shape({1}, {1}), &values[0]).fault, Fault::None);
  blockSignalsDuring(SIGFPE);
  for (int round = 0; round < 2; ++round)
    EXPECT_NE(launch(*module, "divide", shape({1}, {1}), &values[0]).fault, Fault::None);
  sigset_t blocked;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &blocked), 0);
  EXPECT_EQ(sigismember(&blocked, SIGFPE), 0);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
}

TEST(Safety, AForkedChildLaunchesToo) {
  auto module = load(R"(extern "C" __global__ void k(int* out) { for (int i = 0; i < 1000; ++i) __nvvm_atom_add_gen_i(out, 1); })");
  ASSERT_TRUE(module);
  int count = 0;
  EXPECT_RUNS(launch(*module, "k", shape({100}, {10}), &count));
  EXPECT_EQ(count, 1000000);
  pid_t child = fork();
  if (child == 0) {
    int again = 0;
    auto result = launch(*module, "k", shape({100}, {10}), &again);
    _exit(result.fault == Fault::None && again == 1000000 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace mneme::host::test
