// SPDX-License-Identifier: Apache-2.0
/// Turns the kernel into a body with explicit thread values, and every device notion in it into plain pointers.
#include "backend/host/compiler/bind.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <unordered_map>

#include "backend/host/compiler/executor_calls.h"

namespace mneme::host::compiler {
namespace {

size_t blockOffset(Field field) {
  switch (field) {
    case Field::GridDimX: return offsetof(BlockContext, gridDim);
    case Field::GridDimY: return offsetof(BlockContext, gridDim) + 4;
    case Field::GridDimZ: return offsetof(BlockContext, gridDim) + 8;
    case Field::BlockDimX: return offsetof(BlockContext, blockDim);
    case Field::BlockDimY: return offsetof(BlockContext, blockDim) + 4;
    case Field::BlockDimZ: return offsetof(BlockContext, blockDim) + 8;
    case Field::BlockX: return offsetof(BlockContext, blockIdx);
    case Field::BlockY: return offsetof(BlockContext, blockIdx) + 4;
    case Field::BlockZ: return offsetof(BlockContext, blockIdx) + 8;
    case Field::Shared: return offsetof(BlockContext, shared);
    case Field::Frame: return offsetof(BlockContext, frame);
    case Field::Capacity: return offsetof(BlockContext, frameCapacity);
    case Field::Exchange: return offsetof(BlockContext, exchange);
    case Field::ThreadCount: return offsetof(BlockContext, threadCount);
    case Field::DynamicBytes: return offsetof(BlockContext, dynamicSharedBytes);
    case Field::GridId: return offsetof(BlockContext, gridId);
    case Field::GridWorkspace: return offsetof(BlockContext, gridWorkspace);
    default: return 0;
  }
}

size_t contextOffset(Field field) {
  switch (field) {
    case Field::Thread: return offsetof(ThreadContext, thread);
    case Field::X: return offsetof(ThreadContext, x);
    case Field::Y: return offsetof(ThreadContext, y);
    case Field::Z: return offsetof(ThreadContext, z);
    default: return offsetof(ThreadContext, block);
  }
}

llvm::Value* loadAt(llvm::IRBuilder<>& builder, llvm::Value* base, size_t offset, llvm::Type* type, bool invariant) {
  auto* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
  auto* load = builder.CreateLoad(type, address);
  if (invariant) load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
  return load;
}

bool isThreadField(Field field) {
  return field == Field::Block || field == Field::Thread || field == Field::X || field == Field::Y || field == Field::Z;
}

/// The kernel's instructions in a function whose parameters are the fields, then the kernel's own.
llvm::Function* makeBody(Unit& unit) {
  auto& context = unit.module.getContext();
  llvm::Function& kernel = *unit.kernel;
  std::vector<llvm::Type*> types;
  for (unsigned i = 0; i < static_cast<unsigned>(Field::Count); ++i)
    types.push_back(typeOf(static_cast<Field>(i), context));
  for (auto& argument : kernel.args()) types.push_back(argument.getType());
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* body = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "mneme.body", unit.module);
  body->addFnAttr(llvm::Attribute::NoUnwind);
  body->splice(body->begin(), &kernel);
  unsigned index = static_cast<unsigned>(Field::Count);
  for (auto& argument : kernel.args()) {
    auto* target = body->getArg(index++);
    target->takeName(&argument);
    argument.replaceAllUsesWith(target);
  }
  return body;
}

bool onlyRead(llvm::Value* pointer) {
  for (auto* user : pointer->users()) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->isVolatile() || load->isAtomic()) return false;
    } else if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user)) {
      if (!onlyRead(user)) return false;
    } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
      if (copy->getRawSource() != pointer || copy->getRawDest() == pointer) return false;
    } else {
      return false;
    }
  }
  return true;
}

/// Where the kernel's parameters lie; structures by value that a thread may write get a private copy.
void layParameters(Unit& unit, llvm::Function& kernel, ThreadValues& values) {
  const auto& layout = unit.module.getDataLayout();
  uint64_t offset = 0;
  unsigned index = static_cast<unsigned>(Field::Count);
  for (auto& argument : kernel.args()) {
    auto* byValue = argument.getParamByValType();
    auto* type = byValue ? byValue : argument.getType();
    auto alignment = byValue ? argument.getParamAlign().valueOrOne() : layout.getABITypeAlign(type);
    offset = llvm::alignTo(offset, alignment);
    uint64_t size = layout.getTypeAllocSize(type);
    unit.parameters.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size),
                               static_cast<uint32_t>(alignment.value()), byValue != nullptr});
    offset += size;
    auto* target = unit.kernel->getArg(index++);
    if (!byValue || onlyRead(target)) continue;
    llvm::IRBuilder<> builder(values.anchor());
    auto* copy = builder.CreateAlloca(type);
    copy->setAlignment(alignment);
    target->replaceAllUsesWith(copy);
    builder.CreateMemCpy(copy, alignment, target, alignment, size);
  }
}

using Special = std::function<llvm::Value*(ThreadValues&, llvm::IRBuilder<>&)>;

Special field(Field which) {
  return [which](ThreadValues& values, llvm::IRBuilder<>&) { return values.get(which); };
}
Special constant(uint32_t value) {
  return [value](ThreadValues&, llvm::IRBuilder<>& builder) { return builder.getInt32(value); };
}
llvm::Value* lane(ThreadValues& values, llvm::IRBuilder<>& builder) {
  return builder.CreateAnd(values.get(Field::Thread), builder.getInt32(31));
}
/// One bit for the lane, shifted by `by` first, minus one or inverted as the four masks need it.
Special laneMask(bool orEqual, bool greater) {
  return [=](ThreadValues& values, llvm::IRBuilder<>& builder) -> llvm::Value* {
    auto* bit = builder.CreateShl(builder.getInt32(1), lane(values, builder));
    auto* below = builder.CreateSub(bit, builder.getInt32(1));
    auto* belowOrEqual = builder.CreateOr(below, bit);
    if (greater) return builder.CreateNot(orEqual ? below : belowOrEqual);
    return orEqual ? belowOrEqual : below;
  };
}

/// Half of the address of the grid's workspace.
Special workspace(unsigned shift) {
  return [shift](ThreadValues& values, llvm::IRBuilder<>& builder) -> llvm::Value* {
    return builder.CreateTrunc(builder.CreateLShr(values.get(Field::GridWorkspace), shift), builder.getInt32Ty());
  };
}

const std::unordered_map<std::string, Special>& specials() {
  static const std::unordered_map<std::string, Special> table = {
      {"tid.x", field(Field::X)}, {"tid.y", field(Field::Y)}, {"tid.z", field(Field::Z)}, {"tid.w", constant(0)},
      {"ntid.x", field(Field::BlockDimX)}, {"ntid.y", field(Field::BlockDimY)}, {"ntid.z", field(Field::BlockDimZ)},
      {"ntid.w", constant(1)},
      {"ctaid.x", field(Field::BlockX)}, {"ctaid.y", field(Field::BlockY)}, {"ctaid.z", field(Field::BlockZ)},
      {"ctaid.w", constant(0)},
      {"nctaid.x", field(Field::GridDimX)}, {"nctaid.y", field(Field::GridDimY)}, {"nctaid.z", field(Field::GridDimZ)},
      {"nctaid.w", constant(1)},
      {"warpsize", constant(kWarpSize)}, {"laneid", lane},
      {"warpid", [](ThreadValues& v, llvm::IRBuilder<>& b) { return b.CreateLShr(v.get(Field::Thread), b.getInt32(5)); }},
      {"nwarpid", constant(32)}, {"smid", constant(0)}, {"nsmid", constant(1)},
      {"lanemask.eq", [](ThreadValues& v, llvm::IRBuilder<>& b) { return b.CreateShl(b.getInt32(1), lane(v, b)); }},
      {"lanemask.lt", laneMask(false, false)}, {"lanemask.le", laneMask(true, false)},
      {"lanemask.gt", laneMask(false, true)}, {"lanemask.ge", laneMask(true, true)},
      {"dynamic_smem_size", field(Field::DynamicBytes)},
      {"gridid", field(Field::GridId)},
      {"envreg1", workspace(32)}, {"envreg2", workspace(0)},
      {"cluster.ctaid.x", constant(0)}, {"cluster.ctaid.y", constant(0)}, {"cluster.ctaid.z", constant(0)},
      {"cluster.nctaid.x", constant(1)}, {"cluster.nctaid.y", constant(1)}, {"cluster.nctaid.z", constant(1)},
      {"cluster.ctarank", constant(0)}, {"cluster.nctarank", constant(1)},
      {"clusterid.x", field(Field::BlockX)}, {"clusterid.y", field(Field::BlockY)}, {"clusterid.z", field(Field::BlockZ)},
      {"nclusterid.x", field(Field::GridDimX)}, {"nclusterid.y", field(Field::GridDimY)},
      {"nclusterid.z", field(Field::GridDimZ)},
  };
  return table;
}

void replaceSpecialRegisters(llvm::Function& function, ThreadValues& values) {
  for (auto& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    auto* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee) continue;
    auto name = callee->getName();
    if (!name.consume_front("llvm.nvvm.read.ptx.sreg.")) continue;
    auto found = specials().find(name.str());
    if (found == specials().end()) continue;
    llvm::IRBuilder<> builder(call);
    auto* value = found->second(values, builder);
    call->replaceAllUsesWith(builder.CreateZExtOrTrunc(value, call->getType()));
    call->eraseFromParent();
  }
}

/// Replaces every use of a global inside functions by a value made at the function's start.
void replaceInFunctions(llvm::GlobalVariable& global, std::map<llvm::Function*, ThreadValues>& functions,
                        const std::function<llvm::Value*(llvm::IRBuilder<>&, ThreadValues&)>& make) {
  llvm::convertUsersOfConstantsToInstructions({&global});
  std::map<llvm::Function*, llvm::Value*> made;
  for (auto& use : llvm::make_early_inc_range(global.uses())) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (!instruction) continue;
    auto* function = instruction->getFunction();
    auto& value = made[function];
    if (!value) {
      auto& values = functions.at(function);
      llvm::IRBuilder<> builder(values.anchor());
      auto* pointer = make(builder, values);
      value = builder.CreateAddrSpaceCast(pointer, global.getType());
    }
    use.set(value);
  }
}

void countFromStart(llvm::PtrToIntInst& number, ThreadValues& values) {
  llvm::IRBuilder<> builder(&number);
  auto* i64 = builder.getInt64Ty();
  auto* address = builder.CreatePtrToInt(builder.CreateAddrSpaceCast(number.getPointerOperand(), builder.getPtrTy()), i64);
  auto* start = builder.CreatePtrToInt(values.get(Field::Shared), i64);
  number.replaceAllUsesWith(builder.CreateZExtOrTrunc(builder.CreateSub(address, start), number.getType()));
  number.eraseFromParent();
}

void addToStart(llvm::IntToPtrInst& pointer, ThreadValues& values) {
  llvm::IRBuilder<> builder(&pointer);
  auto* number = builder.CreateZExtOrTrunc(pointer.getOperand(0), builder.getInt64Ty());
  auto* place = builder.CreateGEP(builder.getInt8Ty(), values.get(Field::Shared), number);
  pointer.replaceAllUsesWith(builder.CreateAddrSpaceCast(place, pointer.getType()));
  pointer.eraseFromParent();
}

/// Numbers of places in shared memory count from the block's own start, so that they fit into 32 bits.
void bindSharedNumbers(Unit& unit, std::map<llvm::Function*, ThreadValues>& functions) {
  std::vector<llvm::Constant*> variables;
  for (auto& global : unit.module.globals())
    if (global.getAddressSpace() == 3 && !global.use_empty()) variables.push_back(&global);
  llvm::convertUsersOfConstantsToInstructions(variables);
  for (auto& [function, values] : functions)
    for (auto& instruction : llvm::make_early_inc_range(llvm::instructions(*function))) {
      auto* number = llvm::dyn_cast<llvm::PtrToIntInst>(&instruction);
      auto* pointer = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction);
      if (number && number->getPointerAddressSpace() == 3) countFromStart(*number, values);
      if (pointer && pointer->getAddressSpace() == 3) addToStart(*pointer, values);
    }
}

void bindShared(Unit& unit, std::map<llvm::Function*, ThreadValues>& functions) {
  const auto& layout = unit.module.getDataLayout();
  std::vector<llvm::GlobalVariable*> fixed, dynamic;
  for (auto& global : unit.module.globals())
    if (global.getAddressSpace() == 3 && !global.use_empty())
      (layout.getTypeAllocSize(global.getValueType()) ? fixed : dynamic).push_back(&global);
  auto place = [&](llvm::GlobalVariable& global, uint64_t offset) {
    replaceInFunctions(global, functions, [offset](llvm::IRBuilder<>& builder, ThreadValues& values) {
      return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), values.get(Field::Shared), offset);
    });
  };
  for (auto* global : fixed) {
    if (auto known = unit.shared.fixedOffsets.find(global->getName().str()); known != unit.shared.fixedOffsets.end()) {
      place(*global, known->second);
      continue;
    }
    auto alignment = std::max(global->getAlign().valueOrOne(), layout.getABITypeAlign(global->getValueType()));
    unit.shared.alignment = std::max<uint32_t>(unit.shared.alignment, alignment.value());
    unit.shared.staticBytes = llvm::alignTo(unit.shared.staticBytes, alignment);
    place(*global, unit.shared.staticBytes);
    unit.shared.staticBytes += layout.getTypeAllocSize(global->getValueType());
  }
  unit.shared.usesDynamic = !dynamic.empty();
  for (auto* global : dynamic)
    unit.shared.alignment = std::max<uint32_t>(unit.shared.alignment, global->getAlign().valueOrOne().value());
  unit.shared.staticBytes = llvm::alignTo(unit.shared.staticBytes, unit.shared.alignment);
  for (auto* global : dynamic) place(*global, unit.shared.staticBytes);
}

void bindVariables(Unit& unit, std::map<llvm::Function*, ThreadValues>& functions) {
  auto& context = unit.module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  for (auto& variable : unit.variables) {
    variable.slot = new llvm::GlobalVariable(unit.module, pointer, false, llvm::GlobalValue::InternalLinkage,
                                             llvm::ConstantPointerNull::get(pointer), "mneme.slot." + variable.name);
    replaceInFunctions(*variable.global, functions, [&](llvm::IRBuilder<>& builder, ThreadValues&) {
      auto* load = builder.CreateLoad(pointer, variable.slot);
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
      load->setMetadata(llvm::LLVMContext::MD_nonnull, llvm::MDNode::get(context, {}));
      return load;
    });
  }
}

/// A function called through a pointer may come from another object and ask for its thread.
bool callsThroughPointers(llvm::Module& module) {
  for (auto& function : module)
    for (auto& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isIndirectCall()) return true;
  return false;
}

}  // namespace

bool isPointer(Field field) {
  return field == Field::Block || field == Field::Context || field == Field::Shared || field == Field::Frame ||
         field == Field::Exchange;
}

llvm::Type* typeOf(Field field, llvm::LLVMContext& context) {
  if (isPointer(field)) return llvm::PointerType::get(context, 0);
  return field == Field::GridId || field == Field::GridWorkspace ? llvm::Type::getInt64Ty(context) : llvm::Type::getInt32Ty(context);
}

llvm::Value* loadFromBlock(llvm::IRBuilder<>& builder, llvm::Value* block, Field field) {
  return loadAt(builder, block, blockOffset(field), typeOf(field, builder.getContext()), true);
}

/// A first block of its own, for allocas and thread values; its end is where more are added.
ThreadValues::ThreadValues(Unit& unit, llvm::Function& function) : unit_(unit), function_(function) {
  auto& entry = function.getEntryBlock();
  std::vector<llvm::AllocaInst*> allocas;
  for (auto& instruction : entry)
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction); alloca && alloca->isStaticAlloca())
      allocas.push_back(alloca);
  entry.splitBasicBlock(entry.getFirstNonPHIIt());
  anchor_ = entry.getTerminator();
  for (auto* alloca : allocas) alloca->moveBefore(anchor_->getIterator());
}

llvm::Value* ThreadValues::context(llvm::IRBuilder<>& builder) {
  auto* type = llvm::FunctionType::get(builder.getPtrTy(), false);
  auto* function = builder.CreateLoad(builder.getPtrTy(), importSlot(unit_, "context"));
  unit_.usesContext = true;
  return builder.CreateCall(type, function);
}

llvm::Value* ThreadValues::get(Field field) {
  auto& known = known_[field];
  if (known) return known;
  if (&function_ == unit_.kernel) return known = function_.getArg(static_cast<unsigned>(field));
  llvm::IRBuilder<> builder(anchor_);
  if (field == Field::Context) return known = context(builder);
  auto* base = get(isThreadField(field) ? Field::Context : Field::Block);
  if (isThreadField(field)) return known = loadAt(builder, base, contextOffset(field), typeOf(field, builder.getContext()), false);
  return known = loadFromBlock(builder, base, field);
}

Expected<void> bindThreads(Unit& unit) {
  unit.callsPointers = callsThroughPointers(unit.module);
  unit.usesContext = unit.callsPointers;
  auto* kernel = unit.kernel;
  if (kernel && !kernel->use_empty()) return unsupported(unit, "the use of its own address in device code");
  if (kernel) unit.kernel = makeBody(unit);
  std::map<llvm::Function*, ThreadValues> functions;
  for (auto& function : unit.module)
    if (!function.isDeclaration()) functions.emplace(&function, ThreadValues(unit, function));
  if (kernel) {
    layParameters(unit, *kernel, functions.at(unit.kernel));
    kernel->eraseFromParent();
  }
  for (auto& [function, values] : functions) replaceSpecialRegisters(*function, values);
  bindSharedNumbers(unit, functions);
  bindShared(unit, functions);
  bindVariables(unit, functions);
  for (auto& [function, values] : functions)
    if (auto lowered = lowerExecutorCalls(unit, *function, values); !lowered) return lowered;
  return {};
}

}  // namespace mneme::host::compiler
