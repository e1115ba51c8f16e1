// SPDX-License-Identifier: Apache-2.0
/// LLVM's own linker does the work; what it would report through its handler becomes our error.
#include "code/whole_program.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>
#include <utility>

#include "code/ir/module_loader.h"

namespace mneme::code {
namespace {

/// Keeps the first diagnostic's text.
struct FirstMessage final : llvm::DiagnosticHandler {
  std::string& text;
  explicit FirstMessage(std::string& into) : text(into) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (!text.empty() || info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
};

/// The device's own functions (llvm.*, __nv_*, vprintf ...) come with the device; a C++ function or variable does not.
bool mustBeDefined(const llvm::GlobalValue& value) {
  return value.isDeclaration() && !value.use_empty() && value.getName().starts_with("_Z") && !value.hasExternalWeakLinkage();
}

Expected<void> checkComplete(const llvm::Module& module) {
  std::string missing;
  for (const llvm::GlobalValue& value : module.global_values())
    if (mustBeDefined(value)) missing += (missing.empty() ? "" : ", ") + value.getName().str();
  if (missing.empty()) return {};
  return Error(ErrorCode::NotFound, "no object defines this device code: " + missing);
}

}  // namespace

Expected<std::vector<std::byte>> linkProgram(std::span<const BitcodeModule> modules) {
  llvm::LLVMContext context;
  std::string problem;
  context.setDiagnosticHandler(std::make_unique<FirstMessage>(problem));
  std::unique_ptr<llvm::Module> program;
  for (const BitcodeModule& bitcode : modules) {
    auto module = loadModule(context, bitcode);
    if (!module) return std::move(module).error();
    if (!program) program = std::move(*module);
    else if (llvm::Linker::linkModules(*program, std::move(*module)))
      return Error(ErrorCode::InvalidArgument, problem.empty() ? "the modules do not fit together" : problem);
  }
  if (!program) return Error(ErrorCode::InvalidArgument, "nothing to link");
  if (auto complete = checkComplete(*program); !complete) return std::move(complete).error();
  if (llvm::Error failed = program->materializeAll())
    return Error(ErrorCode::CorruptRecording, llvm::toString(std::move(failed)));
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*program, stream);
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return std::vector<std::byte>(data, data + bytes.size());
}

}  // namespace mneme::code
