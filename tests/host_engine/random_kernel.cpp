// SPDX-License-Identifier: Apache-2.0
/// The generator and the text. interpret() is in random_kernel_interpreter.cpp, and shares nothing with the text.
#include "random_kernel.h"

namespace mneme::host::test {
namespace {

std::string number(int value) { return std::to_string(value); }
std::string variable(int index) { return "v" + number(index); }

std::string operation(const Statement& s) {
  const std::string left = variable(s.b), right = s.c % 2 ? variable(s.c % kVariables) : number(s.c) + "u";
  switch (s.how) {
    case 0: return left + " + " + right;
    case 1: return left + " - " + right;
    case 2: return left + " * " + right;
    case 3: return left + " ^ " + right;
    case 4: return left + " & (" + right + " | 0xff00ffu)";
    case 5: return left + " >> " + number(s.c % 5 + 1);
    default: return "(int)" + left + " < (int)(" + right + ") ? " + left + " : " + right;
  }
}

std::string shuffle(const Statement& s) {
  static const char* const kinds[] = {"bfly", "down", "up", "idx"};
  const std::string clamp = s.how == 2 ? "0" : "31";
  return std::string("__nvvm_shfl_sync_") + kinds[s.how] + "_i32(0xffffffffu, " + variable(s.b) + ", " + number(s.c) + ", " + clamp + ")";
}

std::string results() {
  std::string text;
  for (int i = 0; i < kVariables; ++i) text += "out[at + " + number(i) + "] = " + variable(i) + "; ";
  return text;
}

class Writer {
 public:
  Writer(std::string between, std::string apart) : between_(std::move(between)), apart_(std::move(apart)) {}

  std::string list(const std::vector<Statement>& statements, bool uniform) {
    std::string text;
    for (auto& s : statements) text += (uniform ? apart_ : "") + between_ + one(s) + "\n";
    return text;
  }

 private:
  std::string block(const std::vector<Statement>& statements, bool uniform = false) { return " {\n" + list(statements, uniform) + "}"; }
  std::string loop(const std::string& end, const Statement& s, bool uniform = false) {
    const std::string i = "i" + number(loops_++);
    return "for (unsigned " + i + " = 0; " + i + " < " + end + "; ++" + i + ")" + block(s.body, uniform);
  }
  std::string one(const Statement& s) {
    const std::string to = variable(s.a) + " = ";
    static const char* const atomics[] = {"add", "max", "xor"};
    switch (s.step) {
      case Step::Arithmetic: return to + operation(s) + ";";
      case Step::If: return "if (" + variable(s.b) + " & " + number(s.c) + ")" + block(s.body) + " else" + block(s.otherwise);
      case Step::CountedLoop: return loop(number(s.c), s);
      case Step::DataLoop: return loop("(" + variable(s.b) + " & 7)", s);
      case Step::Atomic: return std::string("__nvvm_atom_") + atomics[s.how] + "_gen_i(counters + " + number(s.c % kCounters) + ", " + variable(s.b) + ");";
      case Step::WarpIf: return "if (t / 32 % 2)" + block(s.body) + " else" + block(s.otherwise);
      case Step::Shuffle: return to + shuffle(s) + ";";
      case Step::Ballot: return to + "__nvvm_vote_ballot_sync(0xffffffffu, " + variable(s.b) + " & " + number(s.c) + ");";
      case Step::Exchange:
        return "s[t] = " + variable(s.b) + "; __syncthreads(); " + to + "s[(t + " + number(s.c) + ") % n]; __syncthreads();";
      case Step::UniformLoop: return loop(number(s.c), s, true);
      case Step::Leave: return "if (t >= " + number(s.c) + ") { " + results() + "return; }";
    }
    return {};
  }
  std::string between_, apart_;
  int loops_ = 0;
};

}  // namespace

Statement KernelMaker::statement(Level level, int depth) {
  const int simple = depth > 0 ? 5 : 2;
  const int kinds = simple + (level >= Level::Warp ? 3 : 0) + (level == Level::Block ? 2 : 0);
  int kind = below(kinds);
  Statement s{Step::Arithmetic, below(kVariables), below(kVariables), below(40), below(7), {}, {}};
  if (kind < simple) {
    static const Step order[] = {Step::Arithmetic, Step::Atomic, Step::If, Step::CountedLoop, Step::DataLoop};
    s.step = order[kind];
  } else if (kind - simple < 3 && level >= Level::Warp) {
    static const Step order[] = {Step::Shuffle, Step::Ballot, Step::WarpIf};
    s.step = order[kind - simple];
  } else {
    s.step = below(2) ? Step::Exchange : Step::UniformLoop;
  }
  if (s.step == Step::Atomic) s.how = s.c % kCounters % 3;  // one kind for each counter: kinds do not commute
  if (s.step == Step::Shuffle) s.how %= 4, s.c %= 32;
  if (s.step == Step::CountedLoop || s.step == Step::UniformLoop) s.c = 1 + s.c % 4;
  if (s.step == Step::WarpIf && depth == 0) s.step = Step::Ballot;
  if (s.step == Step::UniformLoop && depth == 0) s.step = Step::Exchange;
  const Level inside = s.step == Step::UniformLoop ? Level::Block : s.step == Step::WarpIf ? Level::Warp : Level::Thread;
  if (s.step == Step::If || s.step == Step::WarpIf) s.otherwise = list(inside, below(3), depth - 1);
  if (s.step == Step::If || s.step == Step::WarpIf || s.step == Step::CountedLoop || s.step == Step::DataLoop || s.step == Step::UniformLoop)
    s.body = list(inside, 1 + below(3), depth - 1);
  return s;
}

std::vector<Statement> KernelMaker::list(Level level, int count, int depth) {
  std::vector<Statement> result;
  for (int i = 0; i < count; ++i) result.push_back(statement(level, depth));
  return result;
}

RandomKernel KernelMaker::make(Level highest) {
  RandomKernel kernel;
  kernel.threads = threads_ = 32 * (1 + below(4));
  kernel.statements = list(highest, 6 + below(5), 2);
  if (highest == Level::Block && threads_ > 32)
    kernel.statements.insert(kernel.statements.begin() + below(static_cast<int>(kernel.statements.size())),
                             Statement{Step::Leave, 0, 0, 32 * (1 + below(threads_ / 32 - 1)), 0, {}, {}});
  return kernel;
}

std::string asText(const RandomKernel& kernel, const std::string& name, const std::string& between, const std::string& apart) {
  std::string text = "extern \"C\" __global__ void " + name + "(const int* in, int* out, int* counters) {\n"
                     "__shared__ unsigned s[1024]; __shared__ volatile unsigned step[1024];\n"
                     "unsigned t = Index::tx(), n = Index::nx(), at = (Index::bx() * n + t) * " + number(kVariables) + ";\n";
  if (kernel.statements.empty()) return text + "}\n";
  for (int i = 0; i < kVariables; ++i) text += "unsigned v" + number(i) + " = in[at + " + number(i) + "]; ";
  bool exchanges = false;
  for (auto& s : kernel.statements) exchanges |= s.step == Step::Leave;
  if (exchanges) text += "s[t] = t; __syncthreads();";
  return text + "\n" + Writer(between, apart).list(kernel.statements, true) + results() + "}\n";
}

}  // namespace mneme::host::test
