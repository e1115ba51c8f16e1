// SPDX-License-Identifier: Apache-2.0
#include "code/ir/prepare.h"

#include <llvm/IR/DebugInfo.h>

#include "code/ir/globals.h"
#include "code/ir/numerics.h"
#include "code/ir/specialise.h"
#include "code/ir/target.h"

namespace mneme::code {
namespace {

/// Packed as the driver packs them: in order, each at its own alignment.
std::vector<ParameterSlot> parametersOf(const llvm::Function& kernel) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  std::vector<ParameterSlot> slots;
  uint64_t end = 0;
  for (const llvm::Argument& parameter : kernel.args()) {
    llvm::Type* type = parameter.hasByValAttr() ? parameter.getParamByValType() : parameter.getType();
    const llvm::Align natural = layout.getABITypeAlign(type);
    const llvm::Align alignment = parameter.hasByValAttr() ? parameter.getParamAlign().value_or(natural) : natural;
    const uint64_t offset = llvm::alignTo(end, alignment), size = layout.getTypeAllocSize(type);
    slots.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size)});
    end = offset + size;
  }
  return slots;
}

}  // namespace

Expected<PreparedKernel> prepare(llvm::LLVMContext& context, const GenerateInput& input) {
  auto linked = linkKernel(context, input.modules, input.kernel);
  if (!linked) return std::move(linked).error();
  PreparedKernel prepared;
  prepared.linked = std::move(*linked);
  llvm::Module& module = *prepared.linked.module;
  llvm::StripDebugInfo(module);

  auto machine = retarget(module, input.target, input.specialisation.waveSize);
  if (!machine) return std::move(machine).error();
  prepared.machine = std::move(*machine);
  if (module.getTargetTriple().isAMDGCN())
    module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", input.target.codeObjectVersion * 100);

  prepared.parameters = parametersOf(*prepared.linked.kernel);
  prepared.variables = describeVariables(module);
  NumericFlags numerics = input.numerics;
  numerics.flushToZero = input.specialisation.flushDenormals.value_or(numerics.flushToZero);
  applyNumerics(module, numerics, smNumber(input.target.architecture));
  if (auto pinned = pinVariables(module, input.pins, prepared.variables, prepared.linked.remarks); !pinned)
    return std::move(pinned).error();
  if (auto done = specialise(*prepared.linked.kernel, input.specialisation); !done)
    return std::move(done).error().context("specialising " + input.kernel);
  return prepared;
}

}  // namespace mneme::code
