// SPDX-License-Identifier: Apache-2.0
/// Generates code for one kernel from .ll or .bc files and prints a stage of it, for FileCheck tests.
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "code/generate.h"
#include "code/ir/diagnostics.h"
#include "code/ir/llvm_options.h"
#include "code/ir/optimise.h"
#include "code/ir/prepare.h"

namespace {
using namespace mneme;
using namespace mneme::code;

int fail(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message().c_str());
  return 1;
}

std::string bitcodeOf(const std::string& path) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const auto module = llvm::parseIRFile(path, diagnostic, context);
  if (!module) {
    diagnostic.print("codegen_tool", llvm::errs());
    std::exit(2);
  }
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*module, stream);
  return bytes;
}

Dim3 shapeFrom(const std::string& text) {
  Dim3 shape;
  std::sscanf(text.c_str(), "%u,%u,%u", &shape.x, &shape.y, &shape.z);
  return shape;
}

std::vector<std::byte> bytesFromHex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

struct Options {
  std::vector<std::string> files, pins, folds, facts, command;
  std::string stage = "ptx", grid, block, cluster;
};

void fill(GenerateInput& input, const Options& options) {
  Specialisation& wanted = input.specialisation;
  for (const std::string& pin : options.pins) {
    const size_t at = pin.find('=');
    input.pins.push_back({pin.substr(0, at), std::stoull(pin.substr(at + 1), nullptr, 0)});
  }
  for (const std::string& fold : options.folds) {
    const size_t at = fold.find('=');
    wanted.arguments.push_back({static_cast<uint32_t>(std::stoul(fold.substr(0, at))), bytesFromHex(fold.substr(at + 1))});
  }
  for (const std::string& text : options.facts) {
    PointerFact fact;
    unsigned noAlias = 0;
    std::sscanf(text.c_str(), "%u,%lu,%lu,%u", &fact.index, &fact.alignment, &fact.dereferenceable, &noAlias);
    fact.noAlias = noAlias != 0;
    wanted.pointers.push_back(fact);
  }
  if (!options.grid.empty()) wanted.grid = shapeFrom(options.grid);
  if (!options.block.empty()) wanted.block = shapeFrom(options.block);
  if (!options.cluster.empty()) wanted.cluster = shapeFrom(options.cluster);
  if (!options.command.empty()) input.numerics = numericFlags(options.command);
}

int printIr(const GenerateInput& input, bool optimised) {
  const auto scope = LlvmOptions::apply(input.specialisation.options);
  if (!scope) return fail(scope.error());
  std::string errors, warnings;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<DiagnosticCollector>(errors, warnings));
  auto prepared = prepare(context, input);
  if (!prepared) return fail(prepared.error());
  if (optimised)
    if (auto done = optimise(*prepared->linked.module, *prepared->machine, input.specialisation); !done)
      return fail(done.error());
  prepared->linked.module->print(llvm::outs(), nullptr);
  return 0;
}

int printCode(const GenerateInput& input, const std::string& stage) {
  const auto code = generate(input);
  if (!code) return fail(code.error());
  if (stage == "ptx") std::printf("%s", code->ptx.c_str());
  if (stage == "image") std::fwrite(code->image.data(), 1, code->image.size(), stdout);
  if (stage != "summary") return 0;
  std::printf("kernel %s, %zu bytes of PTX, %zu bytes of image\n", code->kernel.c_str(), code->ptx.size(), code->image.size());
  for (const ParameterSlot& slot : code->parameters) std::printf("parameter at %u, %u bytes\n", slot.offset, slot.size);
  for (const CodeVariable& v : code->variables)
    std::printf("variable %s (%s) %lu bytes%s%s%s\n", v.name.c_str(), v.original.c_str(), v.size,
                v.constant ? " constant" : "", v.pinned ? " pinned" : "", v.holdsCode ? " code" : "");
  std::printf("%s", code->log.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("prints a stage of one kernel's code");
  Options options;
  GenerateInput input;
  input.target.architecture = "sm_90";
  input.cache = false;
  app.add_option("files", options.files)->required();
  app.add_option("--kernel", input.kernel)->required();
  app.add_option("--stage", options.stage)->check(CLI::IsMember({"prepared", "optimised", "ptx", "image", "summary"}));
  app.add_option("--arch", input.target.architecture);
  app.add_option("--driver-ptx", input.target.ptxVersion);
  app.add_option("--code-object", input.target.codeObjectVersion);
  app.add_option("--pin", options.pins)->take_all();
  app.add_option("--fold", options.folds)->take_all();
  app.add_option("--fact", options.facts)->take_all();
  app.add_option("--grid", options.grid);
  app.add_option("--block", options.block);
  app.add_option("--cluster", options.cluster);
  app.add_option("--max-threads", input.specialisation.maxThreads);
  app.add_option("--min-blocks", input.specialisation.minBlocks);
  app.add_option("--max-registers", input.specialisation.maxRegisters);
  app.add_option("--min-waves", input.specialisation.minWavesPerEu);
  app.add_option("--wave-size", input.specialisation.waveSize);
  app.add_option("--pipeline", input.specialisation.pipeline);
  app.add_option("--mllvm", input.specialisation.options)->take_all()->expected(1);
  app.add_option("--unroll", input.specialisation.unroll);
  app.add_option("--vector-width", input.specialisation.vectorWidth);
  app.add_option("--fast-math", input.specialisation.fastMath);
  app.add_option("--flush-denormals", input.specialisation.flushDenormals);
  app.add_option("--command", options.command)->delimiter(' ');
  app.add_flag("--assemble", input.assemble);
  CLI11_PARSE(app, argc, argv);

  std::vector<std::string> bytes;
  for (const std::string& file : options.files) bytes.push_back(bitcodeOf(file));
  std::vector<BitcodeModule> modules;
  for (size_t i = 0; i < bytes.size(); ++i) modules.push_back({std::as_bytes(std::span(bytes[i])), options.files[i]});
  input.modules = modules;
  fill(input, options);
  if (options.stage == "prepared" || options.stage == "optimised") return printIr(input, options.stage == "optimised");
  return printCode(input, options.stage);
}
