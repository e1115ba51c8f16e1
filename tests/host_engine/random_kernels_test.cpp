// SPDX-License-Identifier: Apache-2.0
/// Random kernels give the answers of a plain interpreter, however their threads share a core: as a loop, cut at barriers
/// between all statements, with the lanes of a warp in step.
#include <string_view>

#include "random_kernel.h"
#include "support.h"

namespace mneme::host::test {
namespace {

constexpr unsigned kFirstSeed = 20261201;
constexpr int kKernels = 9, kBlocks = 3;

struct Variant {
  const char *name, *between, *apart;
};
constexpr Variant kVariants[] = {
    {"plain", "", ""}, {"apart", "", "__syncthreads(); "}, {"step", "step[t] = step[t % 32 ? t - 1 : t] + 1; ", ""}};

std::string kernelName(const Variant& variant, int index) { return std::string(variant.name) + std::to_string(index); }

Level levelOf(int index) { return static_cast<Level>(index % 3); }

Memory start(const RandomKernel& kernel, int index) {
  std::mt19937 random(kFirstSeed + index);
  Memory memory;
  memory.in.resize(static_cast<size_t>(kBlocks) * kernel.threads * kVariables);
  for (auto& value : memory.in) value = random();
  memory.out.resize(memory.in.size());
  return memory;
}

TEST(RandomKernels, AnswerAsAnInterpreterInEveryModel) {
  std::vector<RandomKernel> kernels;
  std::string source;
  for (int i = 0; i < kKernels; ++i) {
    kernels.push_back(KernelMaker(kFirstSeed + i).make(levelOf(i)));
    for (auto& variant : kVariants) source += asText(kernels.back(), kernelName(variant, i), variant.between, variant.apart);
  }
  auto module = load(source);
  ASSERT_TRUE(module);
  for (int i = 0; i < kKernels; ++i) {
    Memory expected = start(kernels[i], i);
    interpret(kernels[i], kBlocks, expected);
    for (auto& variant : kVariants) {
      const std::string name = kernelName(variant, i);
      Memory got = start(kernels[i], i);
      EXPECT_RUNS(launch(*module, name, shape({kBlocks}, {static_cast<uint32_t>(kernels[i].threads)}), got.in.data(), got.out.data(), got.counters.data()));
      EXPECT_EQ(got.out, expected.out) << name << " of seed " << kFirstSeed << "\n" << asText(kernels[i], name, variant.between, variant.apart);
      EXPECT_EQ(got.counters, expected.counters) << name;
      auto kernel = module->kernel(name);
      ASSERT_TRUE(kernel);
      const bool loop = levelOf(i) == Level::Thread && std::string_view(variant.name) == "plain";
      EXPECT_EQ(std::string_view((*kernel)->descriptor().model) == "loop", loop) << name;
    }
  }
}

}  // namespace
}  // namespace mneme::host::test
