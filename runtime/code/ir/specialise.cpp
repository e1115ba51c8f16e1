// SPDX-License-Identifier: Apache-2.0
#include "code/ir/specialise.h"

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <array>

#include "code/ir/fold_argument.h"
#include "code/ir/loop_hints.h"

namespace mneme::code {
namespace {

/// A kernel's shape: the registers that hold it, and those whose values it bounds.
struct Axis {
  llvm::Intrinsic::ID size, index;
};
constexpr std::array<Axis, 3> kBlockAxes = {{
    {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x},
    {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y},
    {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z}}};
constexpr std::array<Axis, 3> kGridAxes = {{
    {llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x},
    {llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y},
    {llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z}}};

template <typename Action>
void forEachCall(llvm::Module& module, llvm::Intrinsic::ID id, const Action& action) {
  llvm::Function* intrinsic = llvm::Intrinsic::getDeclarationIfExists(&module, id);
  if (!intrinsic) return;
  for (llvm::User* user : llvm::make_early_inc_range(intrinsic->users()))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) action(*call);
}

void foldAxes(llvm::Module& module, const std::array<Axis, 3>& axes, const Dim3& shape) {
  const std::array<uint32_t, 3> extents = {shape.x, shape.y, shape.z};
  for (size_t i = 0; i < axes.size(); ++i) {
    forEachCall(module, axes[i].size, [&](llvm::CallInst& call) {
      call.replaceAllUsesWith(llvm::ConstantInt::get(call.getType(), extents[i]));
      call.eraseFromParent();
    });
    forEachCall(module, axes[i].index, [&](llvm::CallInst& call) {
      call.addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, extents[i])));
    });
  }
}

std::string dims(const Dim3& shape) {
  return std::to_string(shape.x) + "," + std::to_string(shape.y) + "," + std::to_string(shape.z);
}

Expected<void> foldShape(llvm::Function& kernel, const Specialisation& wanted) {
  for (const std::optional<Dim3>& shape : {wanted.grid, wanted.block, wanted.cluster})
    if (shape && shape->count() == 0) return Error{ErrorCode::InvalidArgument, "a shape with a zero extent"};
  llvm::Module& module = *kernel.getParent();
  if (wanted.grid) foldAxes(module, kGridAxes, *wanted.grid);
  if (!wanted.block) return {};
  foldAxes(module, kBlockAxes, *wanted.block);
  if (!module.getTargetTriple().isNVPTX()) {
    llvm::LLVMContext& context = module.getContext();
    llvm::SmallVector<llvm::Metadata*, 3> extents;
    for (const uint32_t extent : {wanted.block->x, wanted.block->y, wanted.block->z})
      extents.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), extent)));
    kernel.setMetadata("reqd_work_group_size", llvm::MDNode::get(context, extents));
    kernel.addFnAttr("uniform-work-group-size", "true");
  } else {
    kernel.addFnAttr("nvvm.reqntid", dims(*wanted.block));
  }
  return {};
}

void setNvidiaBounds(llvm::Function& kernel, const Specialisation& wanted) {
  if (wanted.maxThreads) kernel.addFnAttr("nvvm.maxntid", std::to_string(wanted.maxThreads));
  if (wanted.minBlocks) kernel.addFnAttr("nvvm.minctasm", std::to_string(wanted.minBlocks));
  if (wanted.maxRegisters) kernel.addFnAttr("nvvm.maxnreg", std::to_string(wanted.maxRegisters));
  if (wanted.cluster) kernel.addFnAttr("nvvm.cluster_dim", dims(*wanted.cluster));
}

void setAmdBounds(llvm::Function& kernel, const Specialisation& wanted) {
  const uint64_t threads = wanted.block ? wanted.block->count() : wanted.maxThreads;
  if (threads)
    kernel.addFnAttr("amdgpu-flat-work-group-size", (wanted.block ? std::to_string(threads) : "1") + "," + std::to_string(threads));
  if (wanted.minWavesPerEu)
    kernel.addFnAttr("amdgpu-waves-per-eu",
                     std::to_string(wanted.minWavesPerEu) +
                         (wanted.maxWavesPerEu ? "," + std::to_string(wanted.maxWavesPerEu) : std::string()));
}

Expected<void> addPointerFact(llvm::Function& kernel, const PointerFact& fact) {
  if (fact.index >= kernel.arg_size() || !kernel.getArg(fact.index)->getType()->isPointerTy())
    return Error{ErrorCode::InvalidArgument, "parameter " + std::to_string(fact.index) + " is no pointer"};
  if (fact.alignment & (fact.alignment - 1))
    return Error{ErrorCode::InvalidArgument, "an alignment is a power of two, not " + std::to_string(fact.alignment)};
  llvm::AttrBuilder attributes(kernel.getContext());
  if (fact.alignment) attributes.addAlignmentAttr(llvm::Align(std::min<uint64_t>(fact.alignment, 1u << 20)));
  if (fact.dereferenceable) attributes.addDereferenceableAttr(fact.dereferenceable);
  if (fact.noAlias) attributes.addAttribute(llvm::Attribute::NoAlias);
  kernel.addParamAttrs(fact.index, attributes);
  return {};
}

/// libdevice and OCML decide by NaNs and infinities; fast-math flags inside them would change more than speed.
bool isMathLibrary(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  return name.starts_with("__nv_") || name.starts_with("__internal_") || name.starts_with("__ocml_");
}

void addFastMath(llvm::Module& module, uint32_t bits) {
  const auto set = [&](llvm::FastMathFlags& flags) {
    if (bits & kNoNans) flags.setNoNaNs();
    if (bits & kNoInfinities) flags.setNoInfs();
    if (bits & kNoSignedZeros) flags.setNoSignedZeros();
    if (bits & kReciprocal) flags.setAllowReciprocal();
    if (bits & kContract) flags.setAllowContract(true);
    if (bits & kApproximate) flags.setApproxFunc();
    if (bits & kReassociate) flags.setAllowReassoc();
  };
  for (llvm::Function& function : module) {
    if (isMathLibrary(function)) continue;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!llvm::isa<llvm::FPMathOperator>(instruction)) continue;
      llvm::FastMathFlags flags = instruction.getFastMathFlags();
      set(flags);
      instruction.copyFastMathFlags(flags);
    }
  }
}

}  // namespace

Expected<void> specialise(llvm::Function& kernel, const Specialisation& wanted) {
  for (const FoldedArgument& argument : wanted.arguments)
    if (auto folded = foldArgument(kernel, argument); !folded) return folded;
  for (const PointerFact& fact : wanted.pointers)
    if (auto added = addPointerFact(kernel, fact); !added) return added;
  if (auto folded = foldShape(kernel, wanted); !folded) return folded;
  llvm::Module& module = *kernel.getParent();
  if (module.getTargetTriple().isNVPTX()) setNvidiaBounds(kernel, wanted);
  else setAmdBounds(kernel, wanted);
  if (wanted.fastMath) addFastMath(module, wanted.fastMath);
  if (wanted.unroll || wanted.vectorWidth) hintLoops(module, wanted.unroll, wanted.vectorWidth);
  return {};
}

}  // namespace mneme::code
