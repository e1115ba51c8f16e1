// SPDX-License-Identifier: Apache-2.0
/// Each statement for every thread that is there, then the next: what threads running together have to compute.
#include <algorithm>

#include "random_kernel.h"

namespace mneme::host::test {
namespace {

using Lanes = std::vector<bool>;

class Interpreter {
 public:
  Interpreter(const RandomKernel& kernel, Memory& memory, int block)
      : count_(kernel.threads), memory_(memory), base_(static_cast<size_t>(block) * count_ * kVariables), shared_(count_), values_(count_) {
    for (int t = 0; t < count_; ++t)
      for (int i = 0; i < kVariables; ++i) values_[t][i] = memory.in[base_ + t * kVariables + i];
    for (int t = 0; t < count_; ++t) shared_[t] = t;
    gone_.resize(count_);
  }

  void run(const std::vector<Statement>& statements) {
    list(statements, Lanes(count_, true));
    for (int t = 0; t < count_; ++t)
      for (int i = 0; i < kVariables; ++i) memory_.out[base_ + t * kVariables + i] = values_[t][i];
  }

 private:
  template <typename Function>
  void each(const Lanes& lanes, Function function) {
    for (int t = 0; t < count_; ++t)
      if (lanes[t] && !gone_[t]) function(t);
  }
  template <typename Predicate>
  Lanes those(const Lanes& lanes, Predicate predicate) {
    Lanes result(count_);
    each(lanes, [&](int t) { result[t] = predicate(t); });
    return result;
  }

  void list(const std::vector<Statement>& statements, const Lanes& lanes) {
    for (auto& s : statements) one(s, lanes);
  }

  uint32_t operation(const Statement& s, int t) {
    const uint32_t left = values_[t][s.b], right = s.c % 2 ? values_[t][s.c % kVariables] : s.c;
    switch (s.how) {
      case 0: return left + right;
      case 1: return left - right;
      case 2: return left * right;
      case 3: return left ^ right;
      case 4: return left & (right | 0xff00ffu);
      case 5: return left >> (s.c % 5 + 1);
      default: return static_cast<int32_t>(left) < static_cast<int32_t>(right) ? left : right;
    }
  }

  void atomic(const Statement& s, int t) {
    auto& counter = memory_.counters[s.c % kCounters];
    const uint32_t value = values_[t][s.b];
    if (s.how == 0) counter += value;
    if (s.how == 1) counter = std::max(static_cast<int32_t>(counter), static_cast<int32_t>(value));
    if (s.how == 2) counter ^= value;
  }

  static int source(const Statement& s, int lane) {
    const int from[] = {lane ^ s.c, lane + s.c, lane - s.c, s.c};
    return from[s.how] >= 0 && from[s.how] < 32 ? from[s.how] : lane;
  }

  void one(const Statement& s, const Lanes& lanes) {
    const auto before = values_;
    switch (s.step) {
      case Step::Arithmetic: each(lanes, [&](int t) { values_[t][s.a] = operation(s, t); }); break;
      case Step::Atomic: each(lanes, [&](int t) { atomic(s, t); }); break;
      case Step::Shuffle: each(lanes, [&](int t) { values_[t][s.a] = before[t / 32 * 32 + source(s, t % 32)][s.b]; }); break;
      case Step::Ballot:
        each(lanes, [&](int t) {
          values_[t][s.a] = 0;
          for (int lane = 0; lane < 32; ++lane) values_[t][s.a] |= uint32_t{(before[t / 32 * 32 + lane][s.b] & s.c) != 0} << lane;
        });
        break;
      case Step::Exchange:
        each(lanes, [&](int t) { shared_[t] = values_[t][s.b]; });
        each(lanes, [&](int t) { values_[t][s.a] = shared_[(t + s.c) % count_]; });
        break;
      case Step::Leave:
        each(lanes, [&](int t) { gone_[t] = t >= s.c; });
        break;
      default: nested(s, lanes);
    }
  }

  void nested(const Statement& s, const Lanes& lanes) {
    if (s.step == Step::CountedLoop || s.step == Step::UniformLoop)
      for (int i = 0; i < s.c; ++i) list(s.body, lanes);
    if (s.step == Step::If || s.step == Step::WarpIf) {
      auto chosen = [&](int t) { return s.step == Step::If ? (values_[t][s.b] & s.c) != 0 : t / 32 % 2 != 0; };
      const Lanes yes = those(lanes, chosen), no = those(lanes, [&](int t) { return !chosen(t); });
      list(s.body, yes);
      list(s.otherwise, no);
    }
    if (s.step != Step::DataLoop) return;
    // The end is asked for anew before every round, as C does.
    Lanes still = lanes;
    for (uint32_t round = 0;; ++round) {
      still = those(still, [&](int t) { return round < (values_[t][s.b] & 7); });
      if (std::find(still.begin(), still.end(), true) == still.end()) return;
      list(s.body, still);
    }
  }

  int count_;
  Memory& memory_;
  size_t base_;
  std::vector<uint32_t> shared_;
  std::vector<std::array<uint32_t, kVariables>> values_;
  Lanes gone_;
};

}  // namespace

void interpret(const RandomKernel& kernel, int blocks, Memory& memory) {
  for (int block = 0; block < blocks; ++block) Interpreter(kernel, memory, block).run(kernel.statements);
}

}  // namespace mneme::host::test
