// SPDX-License-Identifier: Apache-2.0
/// From the finished module to a shared object: LLVM's -O3 for this processor, then lld in this process.
#include <lld/Common/Driver.h>

#include <system_error>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/passes.h"

LLD_HAS_DRIVER(elf)

namespace mneme::host::compiler {
namespace {

Expected<void> verify(Unit& unit) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyModule(unit.module, &stream)) return {};
  return Error(ErrorCode::InvalidArgument, "kernel " + unit.kernelName + ": the code is malformed: " + text.substr(0, text.find('\n')));
}

void setProcessor(Unit& unit) {
  for (auto& function : unit.module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", unit.machine.getTargetCPU());
    function.addFnAttr("target-features", unit.machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", "256");
  }
}

void optimise(Unit& unit) {
  PassRunner runner(&unit.machine);
  auto passes = runner.builder().buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  runner.run(passes, unit.module);
}

Expected<void> emit(Unit& unit, const std::string& path) {
  std::error_code failed;
  llvm::raw_fd_ostream stream(path, failed);
  if (failed) return Error(ErrorCode::Io, "writing " + path + ": " + failed.message());
  llvm::legacy::PassManager passes;
  if (unit.machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return Error(ErrorCode::Unavailable, "this LLVM cannot write objects");
  passes.run(unit.module);
  stream.flush();
  if (stream.has_error()) {
    auto reason = stream.error().message();
    stream.clear_error();
    return Error(ErrorCode::Io, "writing " + path + ": " + reason);
  }
  return {};
}

Expected<void> link(const Unit& unit, const std::string& object, const std::string& path) {
  std::string text;
  llvm::raw_string_ostream errors(text);
  std::vector<const char*> arguments = {"ld.lld", "-shared", "--threads=1", "--no-dynamic-linker", "-Bsymbolic", "--hash-style=gnu",
                                        "-z", "now", "-z", "nognustack", object.c_str(), "-o", path.c_str()};
  auto result = lld::lldMain(arguments, llvm::outs(), errors, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0) return {};
  return Error(ErrorCode::Io, "linking kernel " + unit.kernelName + ": " + text.substr(0, text.find('\n')));
}

}  // namespace

Expected<void> writeObject(Unit& unit, const std::string& path) {
  if (auto good = verify(unit); !good) return good;
  setProcessor(unit);
  optimise(unit);
  if (const char* dump = getenv("MNEME_HOSTCC_DUMP")) {
    std::error_code failed;
    llvm::raw_fd_ostream stream(dump, failed);
    unit.module.print(stream, nullptr);
  }
  const std::string object = path + ".o", unfinished = path + ".part";
  if (auto written = emit(unit, object); !written) return written;
  auto linked = link(unit, object, unfinished);
  llvm::sys::fs::remove(object);
  if (!linked) return linked;
  // Whoever finds an object under its name finds all of it, even if this process is killed over the next one.
  if (auto failed = llvm::sys::fs::rename(unfinished, path)) return Error(ErrorCode::Io, "writing " + path + ": " + failed.message());
  return {};
}

}  // namespace mneme::host::compiler
