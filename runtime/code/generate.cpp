// SPDX-License-Identifier: Apache-2.0
#include "code/generate.h"

#include <llvm/Config/llvm-config.h>

#include "code/assembler.h"
#include "code/code_cache.h"
#include "code/ir/diagnostics.h"
#include "code/ir/emit.h"
#include "code/ir/llvm_options.h"
#include "code/ir/optimise.h"
#include "code/ir/prepare.h"

namespace mneme::code {
namespace {

/// A context whose complaints are kept.
struct Compilation {
  std::string errors, warnings;
  llvm::LLVMContext context;

  Compilation() { context.setDiagnosticHandler(std::make_unique<DiagnosticCollector>(errors, warnings)); }
};

std::string joined(const std::vector<std::string>& remarks) {
  std::string text;
  for (const std::string& remark : remarks) text += remark + "\n";
  return text;
}

Expected<void> emitInto(GeneratedCode& code, PreparedKernel& prepared) {
  llvm::Module& module = *prepared.linked.module;
  if (module.getTargetTriple().isAMDGCN()) {
    auto object = emitCodeObject(module, *prepared.machine);
    if (!object) return std::move(object).error();
    code.image = std::move(*object);
    return {};
  }
  auto ptx = emitPtx(module, *prepared.machine);
  if (!ptx) return std::move(ptx).error();
  code.ptx = std::move(*ptx);
  return {};
}

Expected<GeneratedCode> compile(const GenerateInput& input) {
  const auto options = LlvmOptions::apply(input.specialisation.options);
  if (!options) return Error(options.error());
  Compilation compilation;
  auto prepared = prepare(compilation.context, input);
  if (!prepared) return std::move(prepared).error();
  GeneratedCode code;
  code.kernel = prepared->linked.kernel->getName().str();
  if (auto optimised = optimise(*prepared->linked.module, *prepared->machine, input.specialisation); !optimised)
    return std::move(optimised).error();
  if (auto emitted = emitInto(code, *prepared); !emitted) return std::move(emitted).error();
  if (!compilation.errors.empty()) return Error{ErrorCode::Unsupported, input.kernel + ": " + compilation.errors};
  code.parameters = std::move(prepared->parameters);
  code.variables = std::move(prepared->variables);
  code.log = joined(prepared->linked.remarks) + compilation.warnings;
  return code;
}

/// Without an assembler the PTX is the answer: the driver assembles it.
Expected<void> assembleInto(GeneratedCode& code, const Target& target) {
  auto assembled = assemble(code.ptx, target.architecture, target.ptxVersion);
  if (!assembled && assembled.error().code() != ErrorCode::Unavailable) return std::move(assembled).error();
  if (!assembled) {
    code.log += assembled.error().message() + "\n";
    return {};
  }
  code.image = std::move(assembled->cubin);
  code.log += assembled->log;
  return {};
}

}  // namespace

Expected<GeneratedCode> generate(const GenerateInput& input) {
  const CodeCache cache = input.cache ? CodeCache::open() : CodeCache();
  const Hash128 key = input.cache ? cacheKey(input) : Hash128();
  if (auto found = cache.find(key)) return std::move(*found);
  auto code = compile(input);
  if (!code) return code;
  if (input.assemble && code->image.empty())
    if (auto assembled = assembleInto(*code, input.target); !assembled) return std::move(assembled).error();
  const bool whole = !input.assemble || !code->image.empty();  // else an assembler may turn up later
  if (whole) cache.store(key, *code);
  return code;
}

std::string llvmVersion() { return LLVM_VERSION_STRING; }

}  // namespace mneme::code
