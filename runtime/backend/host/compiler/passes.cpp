// SPDX-License-Identifier: Apache-2.0
/// Pass managers, and the inlining stage.
#include "backend/host/compiler/passes.h"

#include <llvm/Analysis/CallGraph.h>
#include <llvm/ADT/SCCIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "backend/host/compiler/compiler.h"

namespace mneme::host::compiler {

namespace {

llvm::PipelineTuningOptions tuning() {
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = true;
  options.SLPVectorization = true;
  options.LoopUnrolling = true;
  options.LoopInterleaving = true;
  return options;
}

/// Functions that call themselves, directly or around a circle; they cannot be inlined away.
void markInlinable(llvm::Module& module, const llvm::Function* kernel) {
  llvm::CallGraph graph(module);
  for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component)
    for (auto* node : *component) {
      auto* function = node->getFunction();
      if (!function || function->isDeclaration() || function == kernel || component.hasCycle()) continue;
      function->addFnAttr(llvm::Attribute::AlwaysInline);
    }
}

}  // namespace

PassRunner::PassRunner(llvm::TargetMachine* machine) : builder_(machine, tuning()) {
  builder_.registerModuleAnalyses(modules_);
  builder_.registerCGSCCAnalyses(graphs_);
  builder_.registerFunctionAnalyses(functions_);
  builder_.registerLoopAnalyses(loops_);
  builder_.crossRegisterProxies(loops_, functions_, graphs_, modules_);
}

void dropUnreached(llvm::Module& module, llvm::TargetMachine* machine) {
  PassRunner runner(machine);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());
  runner.run(passes, module);
}

Expected<void> dropUnused(Unit& unit) {
  dropUnreached(unit.module, &unit.machine);
  return {};
}

void inlineAll(Unit& unit) {
  markInlinable(unit.module, unit.kernel);
  PassRunner runner(&unit.machine);
  llvm::ModulePassManager passes;
  llvm::FunctionPassManager early, late;
  early.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  late.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  late.addPass(llvm::EarlyCSEPass());
  late.addPass(llvm::InstCombinePass());
  late.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(early)));
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(late)));
  passes.addPass(llvm::GlobalDCEPass());
  runner.run(passes, unit.module);
}

}  // namespace mneme::host::compiler
