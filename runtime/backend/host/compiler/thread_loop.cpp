// SPDX-License-Identifier: Apache-2.0
/// Threads between two synchronisation points may run in any order, so the x loop is a parallel loop to LLVM:
/// plain accesses are marked as such; atomics, volatile accesses and a thread's own stack memory are not.
#include "backend/host/compiler/thread_loop.h"

#include <cstddef>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace mneme::host::compiler {
namespace {

llvm::MDNode* distinctNode(llvm::LLVMContext& context) { return llvm::MDNode::getDistinct(context, {}); }

/// A thread's stack memory is one place for all iterations of the loop: then nothing is said about any access.
bool hasStackMemory(llvm::Function& part) {
  for (auto& instruction : llvm::instructions(part))
    if (llvm::isa<llvm::AllocaInst>(instruction)) return true;
  return false;
}

/// True for accesses that no other thread of this segment can race with, by CUDA's own rules.
bool isPlain(const llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store && store->isSimple();
}

/// Threads that hand a lock to each other run after one another even inside one segment.
bool passesLocks(const Unit& unit) {
  for (auto& point : unit.points)
    if (point.kind == PointKind::Yield) return true;
  return false;
}

llvm::MDNode* markParallel(const Unit& unit, llvm::Function& part) {
  auto* group = distinctNode(part.getContext());
  if (hasStackMemory(part) || passesLocks(unit)) return group;
  for (auto& instruction : llvm::instructions(part))
    if (isPlain(instruction)) instruction.setMetadata(llvm::LLVMContext::MD_access_group, group);
  return group;
}

llvm::MDNode* loopMetadata(llvm::LLVMContext& context, llvm::MDNode* group) {
  auto named = [&](const char* name, llvm::Metadata* value) {
    return llvm::MDNode::get(context, {llvm::MDString::get(context, name), value});
  };
  auto* node = llvm::MDNode::getDistinct(
      context, {nullptr, named("llvm.loop.parallel_accesses", group),
                llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.mustprogress")})});
  node->replaceOperandWith(0, node);
  return node;
}

/// The kernel's own arguments, loaded once per call; structures by value stay where the launch put them.
void loadArguments(Unit& unit, llvm::IRBuilder<>& builder, llvm::Value* block, llvm::Function& part,
                   std::vector<llvm::Value*>& values) {
  auto* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), block, offsetof(BlockContext, arguments));
  auto* arguments = builder.CreateLoad(builder.getPtrTy(), address);
  for (auto& parameter : unit.parameters) {
    auto* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), arguments, parameter.offset);
    if (parameter.byValue) {
      values.push_back(place);
      continue;
    }
    auto* load = builder.CreateAlignedLoad(part.getArg(values.size())->getType(), place, llvm::Align(1));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
    values.push_back(load);
  }
}

std::vector<llvm::Value*> uniformValues(Unit& unit, llvm::IRBuilder<>& builder, llvm::Function& part,
                                        llvm::Value* block) {
  std::vector<llvm::Value*> values(static_cast<size_t>(Field::Count));
  for (unsigned i = 0; i < values.size(); ++i) {
    auto field = static_cast<Field>(i);
    if (field >= Field::BlockDimX) values[i] = loadFromBlock(builder, block, field);
  }
  values[0] = block;
  values[static_cast<size_t>(Field::Context)] = llvm::ConstantPointerNull::get(builder.getPtrTy());
  if (unit.usesContext) {
    auto* getter = builder.CreateLoad(builder.getPtrTy(), importSlot(unit, "context"));
    values[static_cast<size_t>(Field::Context)] =
        builder.CreateCall(llvm::FunctionType::get(builder.getPtrTy(), false), getter);
  }
  loadArguments(unit, builder, block, part, values);
  return values;
}

void publishThread(llvm::IRBuilder<>& builder, const std::vector<llvm::Value*>& values) {
  auto* context = values[static_cast<size_t>(Field::Context)];
  auto put = [&](Field field, size_t offset) {
    builder.CreateStore(values[static_cast<size_t>(field)],
                        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), context, offset));
  };
  put(Field::Block, offsetof(ThreadContext, block));
  put(Field::Thread, offsetof(ThreadContext, thread));
  put(Field::X, offsetof(ThreadContext, x));
  put(Field::Y, offsetof(ThreadContext, y));
  put(Field::Z, offsetof(ThreadContext, z));
}

void callPart(Unit& unit, llvm::IRBuilder<>& builder, llvm::Function& part, const std::vector<llvm::Value*>& values,
              llvm::Value* state, llvm::MDNode* group) {
  if (unit.usesContext) publishThread(builder, values);
  auto* next = builder.CreateCall(&part, values);
  if (next->getType()->isVoidTy()) return;
  auto* place = builder.CreateInBoundsGEP(builder.getInt32Ty(), state,
                                          builder.CreateZExt(values[static_cast<size_t>(Field::Thread)], builder.getInt64Ty()));
  builder.CreateStore(next, place)->setMetadata(llvm::LLVMContext::MD_access_group, group);
}

/// A thread's place in the block: x and y and z as values of the loops.
struct Position {
  llvm::Value *thread, *x, *y, *z;
};

Position startPosition(llvm::IRBuilder<>& builder, const std::vector<llvm::Value*>& values, llvm::Value* first) {
  auto* width = values[static_cast<size_t>(Field::BlockDimX)];
  auto* height = values[static_cast<size_t>(Field::BlockDimY)];
  auto* row = builder.CreateUDiv(first, width);
  return {first, builder.CreateURem(first, width), builder.CreateURem(row, height), builder.CreateUDiv(row, height)};
}

}  // namespace

llvm::Function* makeThreadLoop(Unit& unit, llvm::Function& part, const std::string& name) {
  auto& context = unit.module.getContext();
  auto* group = markParallel(unit, part);
  part.addFnAttr(llvm::Attribute::AlwaysInline);
  auto *i32 = llvm::Type::getInt32Ty(context);
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i32, i32}, false);
  auto* loop = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, unit.module);
  loop->addFnAttr(llvm::Attribute::NoUnwind);
  auto *block = loop->getArg(0), *first = loop->getArg(1), *last = loop->getArg(2);

  auto* entry = llvm::BasicBlock::Create(context, "entry", loop);
  auto* rows = llvm::BasicBlock::Create(context, "row", loop);
  auto* threads = llvm::BasicBlock::Create(context, "thread", loop);
  auto* rowEnd = llvm::BasicBlock::Create(context, "row.end", loop);
  auto* done = llvm::BasicBlock::Create(context, "done", loop);
  llvm::IRBuilder<> builder(entry);
  auto values = uniformValues(unit, builder, part, block);
  llvm::Value* state = nullptr;
  if (!part.getReturnType()->isVoidTy())
    state = builder.CreateLoad(pointer, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), block, offsetof(BlockContext, state)));
  auto start = startPosition(builder, values, first);
  builder.CreateCondBr(builder.CreateICmpULT(first, last), rows, done);

  builder.SetInsertPoint(rows);
  auto *rowThread = builder.CreatePHI(i32, 2), *rowX = builder.CreatePHI(i32, 2), *y = builder.CreatePHI(i32, 2),
       *z = builder.CreatePHI(i32, 2);
  auto* width = values[static_cast<size_t>(Field::BlockDimX)];
  auto* left = builder.CreateSub(last, rowThread);
  auto* inRow = builder.CreateSub(width, rowX);
  auto* count = builder.CreateSelect(builder.CreateICmpULT(left, inRow), left, inRow);
  auto* endX = builder.CreateAdd(rowX, count);
  auto* base = builder.CreateSub(rowThread, rowX);
  builder.CreateBr(threads);

  builder.SetInsertPoint(threads);
  auto* x = builder.CreatePHI(i32, 2);
  x->addIncoming(rowX, rows);
  values[static_cast<size_t>(Field::X)] = x;
  values[static_cast<size_t>(Field::Y)] = y;
  values[static_cast<size_t>(Field::Z)] = z;
  values[static_cast<size_t>(Field::Thread)] = builder.CreateAdd(base, x, "", true, true);
  callPart(unit, builder, part, values, state, group);
  auto* nextX = builder.CreateAdd(x, builder.getInt32(1), "", true, true);
  x->addIncoming(nextX, threads);
  auto* again = builder.CreateCondBr(builder.CreateICmpULT(nextX, endX), threads, rowEnd);
  again->setMetadata(llvm::LLVMContext::MD_loop, loopMetadata(context, group));

  builder.SetInsertPoint(rowEnd);
  auto* nextThread = builder.CreateAdd(rowThread, count);
  auto* nextY = builder.CreateAdd(y, builder.getInt32(1));
  auto* wraps = builder.CreateICmpEQ(nextY, values[static_cast<size_t>(Field::BlockDimY)]);
  auto* wrappedY = builder.CreateSelect(wraps, builder.getInt32(0), nextY);
  auto* wrappedZ = builder.CreateSelect(wraps, builder.CreateAdd(z, builder.getInt32(1)), z);
  builder.CreateCondBr(builder.CreateICmpULT(nextThread, last), rows, done);
  rowThread->addIncoming(start.thread, entry), rowThread->addIncoming(nextThread, rowEnd);
  rowX->addIncoming(start.x, entry), rowX->addIncoming(builder.getInt32(0), rowEnd);
  y->addIncoming(start.y, entry), y->addIncoming(wrappedY, rowEnd);
  z->addIncoming(start.z, entry), z->addIncoming(wrappedZ, rowEnd);
  llvm::ReturnInst::Create(context, done);
  return loop;
}

}  // namespace mneme::host::compiler
