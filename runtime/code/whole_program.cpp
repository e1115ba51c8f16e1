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
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

constexpr unsigned kShared = 3;  // NVPTX's address space; `extern __shared__` arrays are never defined

/// Used, and not defined in this module; intrinsics aside.
bool isMissing(const llvm::GlobalValue& value) {
  const bool intrinsic = llvm::isa<llvm::Function>(value) && llvm::cast<llvm::Function>(value).isIntrinsic();
  return value.isDeclaration() && !value.use_empty() && !intrinsic && value.getAddressSpace() != kShared;
}

/// C functions (__nv_*, vprintf ...) may come with the device; C++ functions and variables do not.
bool mustBeDefined(const llvm::GlobalValue& value) {
  const bool fromDevice = llvm::isa<llvm::Function>(value) && !value.getName().starts_with("_Z");
  return isMissing(value) && !fromDevice && !value.hasExternalWeakLinkage();
}

Expected<void> checkComplete(const llvm::Module& module) {
  std::string missing;
  for (const llvm::GlobalValue& value : module.global_values())
    if (mustBeDefined(value)) missing += (missing.empty() ? "" : ", ") + value.getName().str();
  if (missing.empty()) return {};
  return Error(ErrorCode::NotFound, "no object defines this device code: " + missing);
}

/// Private variables get their file's name: a recording restores variables by name, whatever the order of linking was.
void nameVariablesByFile(llvm::Module& module) {
  const llvm::StringRef file = llvm::sys::path::filename(module.getSourceFileName());
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.hasLocalLinkage() && !variable.isDeclaration()) variable.setName(variable.getName() + "." + file);
}

/// Uses are known only of bodies that were read.
Expected<void> readBodies(llvm::Module& program) {
  if (llvm::Error failed = program.materializeAll())
    return Error(ErrorCode::CorruptRecording, llvm::toString(std::move(failed)));
  return {};
}

/// clang gives a static variable that host code names a name for other objects, `v__static__<file's id>`; kernels that it had
/// written before it read that host code still say `v`.
std::vector<std::pair<llvm::GlobalVariable*, llvm::GlobalVariable*>> staticsUnderTwoNames(llvm::Module& module) {
  std::vector<std::pair<llvm::GlobalVariable*, llvm::GlobalVariable*>> found;
  for (llvm::GlobalVariable& variable : module.globals()) {
    const auto at = variable.getName().find("__static__");
    auto* other = at == llvm::StringRef::npos || variable.isDeclaration() ? nullptr : module.getNamedGlobal(variable.getName().substr(0, at));
    if (other && other->isDeclaration()) found.emplace_back(other, &variable);
  }
  return found;
}

Expected<std::unique_ptr<llvm::Module>> opened(llvm::LLVMContext& context, const BitcodeModule& bitcode) {
  auto module = loadModule(context, bitcode);
  if (!module) return module;
  const auto split = staticsUnderTwoNames(**module);
  if (!split.empty())
    if (auto read = readBodies(**module); !read) return std::move(read).error();
  for (const auto& [declared, defined] : split) {
    declared->replaceAllUsesWith(defined);
    declared->eraseFromParent();
  }
  nameVariablesByFile(**module);
  return module;
}

Expected<void> join(llvm::Module& program, const BitcodeModule& bitcode, unsigned flags, std::string& problem) {
  auto module = opened(program.getContext(), bitcode);
  if (!module) return std::move(module).error();
  if (llvm::Linker::linkModules(program, std::move(*module), flags))
    return Error(ErrorCode::InvalidArgument, problem.empty() ? "the modules do not fit together" : problem);
  return {};
}

Expected<std::vector<std::byte>> written(llvm::Module& program) {
  if (auto read = readBodies(program); !read) return std::move(read).error();
  if (auto complete = checkComplete(program); !complete) return std::move(complete).error();
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(program, stream);
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return std::vector<std::byte>(data, data + bytes.size());
}

size_t countMissing(const llvm::Module& program) {
  size_t count = 0;
  for (const llvm::GlobalValue& value : program.global_values()) count += isMissing(value);
  return count;
}

/// A module that others are joined to.
class Program {
 public:
  Program() { context_.setDiagnosticHandler(std::make_unique<FirstMessage>(problem_)); }

  Expected<void> start(std::span<const BitcodeModule> modules) {
    if (modules.empty()) return Error(ErrorCode::InvalidArgument, "nothing to link");
    auto first = opened(context_, modules.front());
    if (!first) return std::move(first).error();
    module_ = std::move(*first);
    others_ = modules.subspan(1);
    return {};
  }

  /// One round over the other modules; `flags` are LLVM's Linker::Flags.
  Expected<void> joinOthers(unsigned flags) {
    for (const BitcodeModule& bitcode : others_)
      if (auto joined = join(*module_, bitcode, flags, problem_); !joined) return joined;
    return {};
  }

  [[nodiscard]] llvm::Module& module() { return *module_; }

 private:
  llvm::LLVMContext context_;
  std::string problem_;
  std::unique_ptr<llvm::Module> module_;
  std::span<const BitcodeModule> others_;
};

}  // namespace

Expected<std::vector<std::byte>> linkProgram(std::span<const BitcodeModule> modules) {
  Program program;
  if (auto started = program.start(modules); !started) return std::move(started).error();
  if (auto joined = program.joinOthers(llvm::Linker::None); !joined) return std::move(joined).error();
  return written(program.module());
}

Expected<std::vector<std::byte>> completeModule(std::span<const BitcodeModule> modules) {
  Program program;
  if (auto started = program.start(modules); !started) return std::move(started).error();
  if (auto read = readBodies(program.module()); !read) return std::move(read).error();
  // What one module brings may need another that was looked at before.
  for (size_t before = SIZE_MAX, missing = countMissing(program.module()); missing > 0 && missing != before;) {
    if (auto joined = program.joinOthers(llvm::Linker::LinkOnlyNeeded); !joined) return std::move(joined).error();
    before = missing;
    missing = countMissing(program.module());
  }
  return written(program.module());
}

}  // namespace mneme::code
