// SPDX-License-Identifier: Apache-2.0
/// Links Mneme's device library: libdevice's functions by name, and the instructions that plain C++ can express.
/// The library is bitcode inside this program (library/*.cpp); "llvm.nvvm.x" is "mneme.nvvm.x" there.
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include <set>

#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/passes.h"

extern "C" const char mneme_library_start[];
extern "C" const char mneme_library_end[];

namespace mneme::host::compiler {
namespace {

Expected<std::unique_ptr<llvm::Module>> openLibrary(llvm::LLVMContext& context) {
  llvm::StringRef bytes(mneme_library_start, mneme_library_end - mneme_library_start);
  auto module = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "mneme library"), context);
  if (!module) return Error(ErrorCode::Io, "the device library inside mneme-hostcc is damaged: " + llvm::toString(module.takeError()));
  return std::move(*module);
}

/// Bodies of libdevice that the compiler linked in give way to the library's.
void dropLibdeviceBodies(llvm::Module& module) {
  for (auto& function : module)
    if (!function.isDeclaration() && function.getName().starts_with("__nv_")) {
      function.deleteBody();
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
}

std::string reflectedName(llvm::CallBase& call) {
  auto* global = llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  auto* data = global && global->hasInitializer() ? llvm::dyn_cast<llvm::ConstantDataSequential>(global->getInitializer()) : nullptr;
  return data && data->isCString() ? data->getAsCString().str() : "";
}

void resolveReflection(llvm::Module& module, uint32_t architecture) {
  for (const char* name : {"__nvvm_reflect", "__nvvm_reflect_ocl", "llvm.nvvm.reflect", "llvm.nvvm.reflect.p0"}) {
    auto* function = module.getFunction(name);
    if (!function) continue;
    for (auto* user : llvm::make_early_inc_range(function->users())) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (!call) continue;
      auto asked = reflectedName(*call);
      uint32_t answer = asked == "__CUDA_ARCH" ? architecture : asked.starts_with("__CUDA_PREC_") ? 1 : 0;
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), answer));
      call->eraseFromParent();
    }
  }
}

/// Points instructions at the library's functions, where it has them with the same type.
void renameIntrinsics(llvm::Module& module, llvm::Module& library) {
  for (auto& function : llvm::make_early_inc_range(module)) {
    auto name = function.getName();
    if (!function.isDeclaration() || !name.consume_front("llvm.")) continue;
    auto target = ("mneme." + name).str();
    auto* known = library.getFunction(target);
    if (!known || known->getFunctionType() != function.getFunctionType()) continue;
    auto replacement = module.getOrInsertFunction(target, function.getFunctionType());
    function.replaceAllUsesWith(replacement.getCallee());
    function.eraseFromParent();
  }
}

const std::set<std::string>& executorFunctions() {
  static const std::set<std::string> names = {"vprintf", "__assertfail", "malloc", "free", "__cxa_pure_virtual"};
  return names;
}

/// The first function the module needs from elsewhere that neither the library nor the executor has.
Expected<void> refuseUndefined(Unit& unit, llvm::Module& library) {
  for (auto& function : unit.module) {
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty()) continue;
    auto name = function.getName();
    if (executorFunctions().count(name.str())) continue;
    auto* known = library.getFunction(name);
    if (known && !known->isDeclaration() && known->getFunctionType() == function.getFunctionType()) continue;
    if (name.consume_front("mneme.ptx.")) return unsupported(unit, "inline assembly '" + name.str() + "'");
    return unsupported(unit, "the undefined function " + name.str());
  }
  return {};
}

void makeInternal(llvm::Module& module, const std::set<std::string>& own) {
  for (auto& function : module) {
    if (function.isDeclaration() || own.count(function.getName().str())) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setComdat(nullptr);
    for (const char* name : {"target-cpu", "target-features", "tune-cpu", "frame-pointer", "stack-protector-buffer-size"})
      function.removeFnAttr(name);
  }
}

std::set<std::string> definedNames(llvm::Module& module) {
  std::set<std::string> names;
  for (auto& function : module)
    if (!function.isDeclaration()) names.insert(function.getName().str());
  return names;
}

}  // namespace

Expected<void> linkLibrary(Unit& unit) {
  auto library = openLibrary(unit.module.getContext());
  if (!library) return std::move(library).error();
  dropLibdeviceBodies(unit.module);
  resolveReflection(unit.module, unit.architecture);
  dropUnreached(unit.module, &unit.machine);
  renameIntrinsics(unit.module, **library);
  if (auto refused = refuseUndefined(unit, **library); !refused) return refused;
  auto own = definedNames(unit.module);
  (*library)->setTargetTriple(unit.module.getTargetTriple());
  (*library)->setDataLayout(unit.module.getDataLayout());
  if (llvm::Linker::linkModules(unit.module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
    return Error(ErrorCode::InvalidArgument, "linking the device library failed");
  makeInternal(unit.module, own);
  return {};
}

}  // namespace mneme::host::compiler
