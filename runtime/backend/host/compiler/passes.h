// SPDX-License-Identifier: Apache-2.0
/// Runs LLVM passes over a module: the managers that every pipeline needs, registered once.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace mneme::host::compiler {

class PassRunner {
 public:
  explicit PassRunner(llvm::TargetMachine* machine);

  void run(llvm::ModulePassManager& passes, llvm::Module& module) { passes.run(module, modules_); }
  llvm::PassBuilder& builder() { return builder_; }

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager graphs_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
};

/// Drops internal functions and variables that nothing reaches.
void dropUnreached(llvm::Module& module, llvm::TargetMachine* machine);

}  // namespace mneme::host::compiler
