// SPDX-License-Identifier: Apache-2.0
/// Device functions that the executor provides: printf, assert, trap, the device heap; and exit.
#include "backend/host/compiler/executor_calls.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

namespace mneme::host::compiler {
namespace {

llvm::CallInst* callImport(Unit& unit, llvm::IRBuilder<>& builder, const std::string& name, llvm::Type* result,
                           const std::vector<llvm::Value*>& operands) {
  std::vector<llvm::Type*> types;
  for (auto* operand : operands) types.push_back(operand->getType());
  auto* function = builder.CreateLoad(builder.getPtrTy(), importSlot(unit, name));
  function->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
  auto* call = builder.CreateCall(llvm::FunctionType::get(result, types, false), function, operands);
  call->addFnAttr(llvm::Attribute::NoUnwind);
  return call;
}

/// The call as an executor's function with the thread in front.
void stop(Unit& unit, llvm::CallInst& call, ThreadValues& values, const std::string& name, unsigned operands) {
  llvm::IRBuilder<> builder(&call);
  std::vector<llvm::Value*> all = {values.get(Field::Block), values.get(Field::Thread)};
  for (unsigned i = 0; i < operands; ++i) all.push_back(call.getArgOperand(i));
  callImport(unit, builder, name, builder.getVoidTy(), all)->setDoesNotReturn();
  llvm::changeToUnreachable(&call);
}

void forward(Unit& unit, llvm::CallInst& call, const std::string& name) {
  llvm::IRBuilder<> builder(&call);
  std::vector<llvm::Value*> operands(call.args().begin(), call.args().end());
  call.replaceAllUsesWith(callImport(unit, builder, name, call.getType(), operands));
  call.eraseFromParent();
}

void exitThread(llvm::CallInst& call) {
  auto* block = call.getParent();
  block->splitBasicBlock(std::next(call.getIterator()));
  llvm::ReturnInst::Create(call.getContext(), nullptr, block->getTerminator()->getIterator());
  block->getTerminator()->eraseFromParent();
  call.eraseFromParent();
}

/// Copies of memory in a device address space are copies of memory.
void flattenCopy(llvm::MemIntrinsic& copy) {
  llvm::IRBuilder<> builder(&copy);
  auto* target = builder.CreateAddrSpaceCast(copy.getRawDest(), builder.getPtrTy());
  if (auto* set = llvm::dyn_cast<llvm::MemSetInst>(&copy)) {
    builder.CreateMemSet(target, set->getValue(), set->getLength(), set->getDestAlign(), set->isVolatile());
  } else {
    auto& transfer = llvm::cast<llvm::MemTransferInst>(copy);
    auto* source = builder.CreateAddrSpaceCast(transfer.getRawSource(), builder.getPtrTy());
    builder.CreateMemTransferInst(copy.getIntrinsicID(), target, transfer.getDestAlign(), source,
                                  transfer.getSourceAlign(), transfer.getLength(), transfer.isVolatile());
  }
  copy.eraseFromParent();
}

void lowerSpace(llvm::CallInst& call, llvm::StringRef space, ThreadValues& values, const SharedLayout& shared) {
  llvm::IRBuilder<> builder(&call);
  auto* i64 = builder.getInt64Ty();
  auto* base = builder.CreatePtrToInt(values.get(Field::Shared), i64);
  auto* size = builder.CreateAdd(builder.CreateZExt(values.get(Field::DynamicBytes), i64), builder.getInt64(shared.staticBytes));
  auto* offset = builder.CreateSub(builder.CreatePtrToInt(call.getArgOperand(0), i64), base);
  llvm::Value* answer = builder.CreateICmpULT(offset, size);
  if (space == "global") answer = builder.CreateNot(answer);
  if (space == "const") answer = builder.getFalse();
  call.replaceAllUsesWith(answer);
  call.eraseFromParent();
}

Expected<void> lowerOne(Unit& unit, llvm::CallInst& call, ThreadValues& values) {
  auto* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return {};
  auto name = callee->getName();
  const bool own = call.getFunction() == unit.kernel;
  if (name == "llvm.nvvm.exit" && !own) return unsupported(unit, "exit in the function " + call.getFunction()->getName().str() + ", which stays a function,");
  if (name == "llvm.nvvm.exit") exitThread(call);
  else if (name == "llvm.trap") stop(unit, call, values, "trap", 0);
  else if (name == "__assertfail") stop(unit, call, values, "assertfail", 4);
  else if (name == "__cxa_pure_virtual") stop(unit, call, values, "trap", 0);
  else if (name == "llvm.nvvm.read.ptx.sreg.globaltimer") forward(unit, call, "globaltimer");
  else if (name == "vprintf" || name == "malloc" || name == "free") forward(unit, call, name.str());
  else if (name.consume_front("llvm.nvvm.isspacep.") && (name == "shared" || name == "global" || name == "const"))
    lowerSpace(call, name, values, unit.shared);
  return {};
}

}  // namespace

Expected<void> lowerExecutorCalls(Unit& unit, llvm::Function& function, ThreadValues& values) {
  std::vector<llvm::CallInst*> calls;
  std::vector<llvm::MemIntrinsic*> copies;
  for (auto& instruction : llvm::instructions(function)) {
    auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction);
    if (copy) copies.push_back(copy);
    else if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) calls.push_back(call);
  }
  for (auto* copy : copies)
    if (copy->getDestAddressSpace() || (llvm::isa<llvm::MemTransferInst>(copy) &&
                                        llvm::cast<llvm::MemTransferInst>(copy)->getSourceAddressSpace()))
      flattenCopy(*copy);
  for (auto* call : llvm::reverse(calls))
    if (auto lowered = lowerOne(unit, *call, values); !lowered) return lowered;
  return {};
}

}  // namespace mneme::host::compiler
