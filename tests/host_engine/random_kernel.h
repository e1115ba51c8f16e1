// SPDX-License-Identifier: Apache-2.0
/// Random kernels: as CUDA text, and interpreted one statement after another for all threads. The seed says all.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mneme::host::test {

inline constexpr int kVariables = 4, kCounters = 4;

enum class Step { Arithmetic, If, CountedLoop, DataLoop, Atomic, WarpIf, Shuffle, Ballot, Exchange, UniformLoop, Leave };

/// Variables are numbered; what `c` and `how` mean depends on the step.
struct Statement {
  Step step;
  int a = 0, b = 0, c = 0, how = 0;
  std::vector<Statement> body, otherwise;
};

struct RandomKernel {
  int threads = 0;
  std::vector<Statement> statements;
};

/// What may stand inside: alone no thread needs another; in a warp all lanes go the same way; in a block all threads do.
enum class Level { Thread, Warp, Block };

class KernelMaker {
 public:
  explicit KernelMaker(unsigned seed) : random_(seed) {}
  /// Up to `highest`: Thread makes kernels that need no synchronisation.
  RandomKernel make(Level highest);

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  Statement statement(Level level, int depth);
  std::vector<Statement> list(Level level, int count, int depth);
  std::mt19937 random_;
  int threads_ = 0;
};

/// The kernel as `extern "C" __global__ void name(const int* in, int* out, int* counters)`; `between` goes in front of every
/// statement, `apart` in front of those that all threads of the block reach.
std::string asText(const RandomKernel& kernel, const std::string& name, const std::string& between, const std::string& apart);

struct Memory {
  std::vector<uint32_t> in, out;
  std::array<uint32_t, kCounters> counters{};
};
/// Runs every block of the grid; `memory.in` has kVariables values a thread, and so gets `memory.out`.
void interpret(const RandomKernel& kernel, int blocks, Memory& memory);

}  // namespace mneme::host::test
