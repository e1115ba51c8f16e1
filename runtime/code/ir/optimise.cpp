// SPDX-License-Identifier: Apache-2.0
#include "code/ir/optimise.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "code/ir/llvm_error.h"

namespace mneme::code {
namespace {

llvm::PipelineTuningOptions tuningFor(const Specialisation& wanted) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = !(wanted.unroll && *wanted.unroll <= 1);
  const bool vectorise = !(wanted.vectorWidth && *wanted.vectorWidth <= 1);
  tuning.LoopVectorization = tuning.SLPVectorization = vectorise;
  return tuning;
}

}  // namespace

Expected<void> optimise(llvm::Module& module, llvm::TargetMachine& machine, const Specialisation& wanted) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuningFor(wanted));
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);

  llvm::ModulePassManager passes;
  if (llvm::Error failed = builder.parsePassPipeline(passes, wanted.pipeline))
    return fromLlvm(std::move(failed), ErrorCode::InvalidArgument, "pipeline " + wanted.pipeline);
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, modules);
  return {};
}

}  // namespace mneme::code
