// SPDX-License-Identifier: Apache-2.0
/// mneme-hostcc: bitcode in, one kernel's shared object out. Started by the host device's engine; see kernel_abi.h.
/// Usage: mneme-hostcc INPUT OUTPUT [KERNEL]. Without a kernel: the module's variables and the list of its kernels.
/// Exit codes: 0 written, 2 failed, 3 refused (unsupported), 4 no such kernel. One line on stderr says why.
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <cstdio>

#include "backend/host/compiler/compiler.h"

namespace mneme::host::compiler {
namespace {

std::string nativeFeatures() {
  std::string text;
  for (auto& feature : llvm::sys::getHostCPUFeatures())
    text += (text.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  return text;
}

Expected<std::unique_ptr<llvm::TargetMachine>> nativeMachine() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string reason;
  auto* target = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target) return Error(ErrorCode::Unavailable, reason);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, llvm::sys::getHostCPUName(), nativeFeatures(), options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Default));
}

Expected<std::unique_ptr<llvm::Module>> readModule(llvm::LLVMContext& context, const char* path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) return Error(ErrorCode::Io, std::string("reading ") + path + ": " + file.getError().message());
  auto module = llvm::parseBitcodeFile(**file, context);
  if (!module) return Error(ErrorCode::InvalidArgument, "not LLVM bitcode: " + llvm::toString(module.takeError()));
  if (llvm::verifyModule(**module)) return Error(ErrorCode::InvalidArgument, "the module is malformed");
  if (!(*module)->getTargetTriple().isNVPTX())
    return Error(ErrorCode::Unsupported, "bitcode for " + (*module)->getTargetTriple().str() + " is not supported on the host device");
  llvm::StripDebugInfo(**module);
  return std::move(*module);
}

using Stage = Expected<void> (*)(Unit&);

Expected<void> inlineStage(Unit& unit) {
  inlineAll(unit);
  return {};
}

Expected<void> compile(const char* input, const char* output, const char* kernel) {
  llvm::LLVMContext context;
  context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo*, void*) {}, nullptr);
  auto machine = nativeMachine();
  if (!machine) return std::move(machine).error();
  auto module = readModule(context, input);
  if (!module) return std::move(module).error();
  (*module)->setTargetTriple((*machine)->getTargetTriple());
  (*module)->setDataLayout((*machine)->createDataLayout());
  Unit unit(**module, **machine, kernel ? kernel : "");
  for (Stage stage : std::initializer_list<Stage>{selectKernel, layShared, exposeVariables, dropUnused, lowerInlineAssembly, linkLibrary,
                                                  inlineStage, trapUnrunnable, bindThreads, buildSegments, refuseUnknown, emitDescriptor})
    if (auto done = stage(unit); !done) return done;
  return writeObject(unit, output);
}

int exitCode(ErrorCode code) {
  if (code == ErrorCode::Unsupported) return 3;
  return code == ErrorCode::NotFound ? 4 : 2;
}

}  // namespace
}  // namespace mneme::host::compiler

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: mneme-hostcc INPUT OUTPUT [KERNEL]\n");
    return 2;
  }
  auto done = mneme::host::compiler::compile(argv[1], argv[2], argc > 3 ? argv[3] : nullptr);
  if (done) _exit(0);
  std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return mneme::host::compiler::exitCode(done.error().code());
}
