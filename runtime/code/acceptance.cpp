// SPDX-License-Identifier: Apache-2.0
/// The pipeline is a light one: what refuses code is selecting instructions, and the assembler.
#include "code/acceptance.h"

#include <llvm/IR/DebugInfo.h>

#include "code/assembler.h"
#include "code/ir/diagnostics.h"
#include "code/ir/emit.h"
#include "code/ir/llvm_error.h"
#include "code/ir/module_loader.h"
#include "code/ir/optimise.h"
#include "code/ir/target.h"

namespace mneme::code {
namespace {

Expected<std::string> quickPtx(const BitcodeModule& bitcode, const Target& target) {
  std::string errors, warnings;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<DiagnosticCollector>(errors, warnings));
  auto module = loadModule(context, bitcode);
  if (!module) return std::move(module).error();
  if (llvm::Error failed = (*module)->materializeAll())
    return fromLlvm(std::move(failed), ErrorCode::CorruptRecording, "reading " + bitcode.origin);
  llvm::StripDebugInfo(**module);
  auto machine = retarget(**module, target, 0);
  if (!machine) return std::move(machine).error();
  Specialisation light;
  light.pipeline = "default<O1>";
  if (auto done = optimise(**module, **machine, light); !done) return std::move(done).error();
  auto ptx = emitPtx(**module, **machine);
  if (ptx && !errors.empty()) return Error(ErrorCode::Unsupported, errors);
  return ptx;
}

}  // namespace

Expected<void> acceptedByAssembler(const BitcodeModule& module, const std::string& architecture) {
  const auto newest = newestPtxOfPtxas();
  if (!newest) return newest.error();
  const auto ptx = quickPtx(module, {architecture, *newest});
  if (!ptx) return ptx.error();
  return checkByPtxas(*ptx, architecture);
}

}  // namespace mneme::code
