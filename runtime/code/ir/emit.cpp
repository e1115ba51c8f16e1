// SPDX-License-Identifier: Apache-2.0
#include "code/ir/emit.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/raw_ostream.h>

#include "code/ir/link_object.h"

namespace mneme::code {
namespace {

Expected<void> emit(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type,
                    llvm::SmallVectorImpl<char>& out) {
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    return Error{ErrorCode::Unsupported, "LLVM cannot emit code for " + machine.getTargetTriple().str()};
  passes.run(module);
  return {};
}

}  // namespace

Expected<std::string> emitPtx(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> text;
  if (auto emitted = emit(module, machine, llvm::CodeGenFileType::AssemblyFile, text); !emitted)
    return std::move(emitted).error();
  return std::string(text.data(), text.size());
}

Expected<std::vector<std::byte>> emitCodeObject(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> object;
  if (auto emitted = emit(module, machine, llvm::CodeGenFileType::ObjectFile, object); !emitted)
    return std::move(emitted).error();
  return linkObject(std::as_bytes(std::span(object.data(), object.size())));
}

}  // namespace mneme::code
