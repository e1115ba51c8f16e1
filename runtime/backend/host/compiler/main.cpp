// SPDX-License-Identifier: Apache-2.0
/// mneme-hostcc: bitcode in, a shared object a kernel out. Started by the host device's engine; see kernel_abi.h.
/// Usage: mneme-hostcc INPUT OUTPUT [KERNEL [OUTPUT KERNEL]...]. Without a kernel (or with an empty name): the module's
/// variables and the list of its kernels. Starting costs more than compiling, so one start can make several objects.
/// Exit codes: 0 all written; of the first that was not: 2 failed, 3 refused (unsupported), 4 no such kernel. One line on
/// stderr says why; nothing after it is made. stdout gets one line a kernel: how threads share a core, "loop" or "segments (3)".
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

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <span>

#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/lock_step.h"

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

/// How threads share a core, a line for each kernel on stdout.
void sayModel(const Unit& unit) {
  if (unit.kernelName.empty()) return;
  if (unit.points.empty()) std::puts("loop");
  else std::printf("segments (%zu)\n", unit.segments.size());
}

Expected<void> compile(llvm::TargetMachine& machine, const char* input, const char* output, const char* kernel) {
  llvm::LLVMContext context;
  context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo*, void*) {}, nullptr);
  auto module = readModule(context, input);
  if (!module) return std::move(module).error();
  (*module)->setTargetTriple(machine.getTargetTriple());
  (*module)->setDataLayout(machine.createDataLayout());
  Unit unit(**module, machine, kernel);
  for (Stage stage : std::initializer_list<Stage>{selectKernel, layShared, exposeVariables, dropUnused, lowerInlineAssembly, linkLibrary,
                                                  inlineStage, keepInStep, trapUnrunnable, bindThreads, buildSegments, refuseUnknown, emitDescriptor})
    if (auto done = stage(unit); !done) return done;
  auto written = writeObject(unit, output);
  if (written) sayModel(unit);
  return written;
}

/// `jobs`: OUTPUT KERNEL pairs; the last kernel may be missing.
Expected<void> compileAll(const char* input, std::span<char*> jobs) {
  auto machine = nativeMachine();
  if (!machine) return std::move(machine).error();
  for (; !jobs.empty(); jobs = jobs.subspan(std::min<size_t>(2, jobs.size())))
    if (auto done = compile(**machine, input, jobs[0], jobs.size() > 1 ? jobs[1] : ""); !done) return done;
  return {};
}

int exitCode(ErrorCode code) {
  if (code == ErrorCode::Unsupported) return 3;
  return code == ErrorCode::NotFound ? 4 : 2;
}

}  // namespace
}  // namespace mneme::host::compiler

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: mneme-hostcc INPUT OUTPUT [KERNEL [OUTPUT KERNEL]...]\n");
    return 2;
  }
  auto done = mneme::host::compiler::compileAll(argv[1], std::span(argv + 2, static_cast<size_t>(argc) - 2));
  std::fflush(stdout);
  if (done) _exit(0);
  std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return mneme::host::compiler::exitCode(done.error().code());
}
