// SPDX-License-Identifier: Apache-2.0
/// Inline assembly, by family: special registers, loads and stores, and instructions that the library has as functions.
/// One instruction per string, operands in order; anything else is refused by its text, never guessed.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <unordered_map>

#include "backend/host/compiler/assembly_arithmetic.h"
#include "backend/host/compiler/assembly_sequences.h"
#include "backend/host/compiler/assembly_single.h"
#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/shared_address.h"
#include "backend/host/compiler/substitutes.h"

namespace mneme::host::compiler {
namespace {

/// `{ cvt.rn.f16.f32 $0, $1;}` as mnemonic and operands.
struct Instruction {
  std::string mnemonic;
  std::string operands;  ///< without blanks: "$0,[$1]"
};

std::optional<Instruction> parse(llvm::StringRef text) {
  text = text.trim();
  if (text.starts_with("{") && text.ends_with("}")) text = text.drop_front().drop_back().trim();
  text = text.rtrim("; \t\n");
  if (text.contains(';')) return std::nullopt;
  auto [mnemonic, rest] = text.split(' ');
  if (mnemonic.contains('\t')) std::tie(mnemonic, rest) = text.split('\t');
  std::string operands;
  for (char c : rest)
    if (!isspace(static_cast<unsigned char>(c))) operands += c;
  return Instruction{mnemonic.trim().str(), operands};
}

/// Assembly whose operands are an intrinsic's, in another order.
struct Spelling {
  const char* intrinsic;
  std::vector<unsigned> order;
};

const std::unordered_map<std::string, Spelling>& spellings() {
  static const std::unordered_map<std::string, Spelling> table = {
      {"mov.u32 $0,%laneid", {"llvm.nvvm.read.ptx.sreg.laneid", {}}},
      {"mov.u32 $0,%warpid", {"llvm.nvvm.read.ptx.sreg.warpid", {}}},
      {"mov.u32 $0,%nwarpid", {"llvm.nvvm.read.ptx.sreg.nwarpid", {}}},
      {"mov.u32 $0,%smid", {"llvm.nvvm.read.ptx.sreg.smid", {}}},
      {"mov.u32 $0,%nsmid", {"llvm.nvvm.read.ptx.sreg.nsmid", {}}},
      {"mov.u32 $0,%clock", {"llvm.nvvm.read.ptx.sreg.clock", {}}},
      {"mov.u64 $0,%clock64", {"llvm.nvvm.read.ptx.sreg.clock64", {}}},
      {"mov.u64 $0,%globaltimer", {"llvm.nvvm.read.ptx.sreg.globaltimer", {}}},
      {"mov.u32 $0,%lanemask_eq", {"llvm.nvvm.read.ptx.sreg.lanemask.eq", {}}},
      {"mov.u32 $0,%lanemask_lt", {"llvm.nvvm.read.ptx.sreg.lanemask.lt", {}}},
      {"mov.u32 $0,%lanemask_le", {"llvm.nvvm.read.ptx.sreg.lanemask.le", {}}},
      {"mov.u32 $0,%lanemask_gt", {"llvm.nvvm.read.ptx.sreg.lanemask.gt", {}}},
      {"mov.u32 $0,%lanemask_ge", {"llvm.nvvm.read.ptx.sreg.lanemask.ge", {}}},
      {"mov.u32 $0,%dynamic_smem_size", {"llvm.nvvm.read.ptx.sreg.dynamic_smem_size", {}}},
      {"mov.u32 $0,%nctaid.x", {"llvm.nvvm.read.ptx.sreg.nctaid.x", {}}},
      {"mov.u32 $0,%tid.x", {"llvm.nvvm.read.ptx.sreg.tid.x", {}}},
      {"mov.u32 $0,%tid.y", {"llvm.nvvm.read.ptx.sreg.tid.y", {}}},
      {"mov.u32 $0,%tid.z", {"llvm.nvvm.read.ptx.sreg.tid.z", {}}},
      {"mov.u32 $0,%ntid.x", {"llvm.nvvm.read.ptx.sreg.ntid.x", {}}},
      {"mov.u32 $0,%ctaid.x", {"llvm.nvvm.read.ptx.sreg.ctaid.x", {}}},
      {"mov.u32 $0,%envreg1", {"llvm.nvvm.read.ptx.sreg.envreg1", {}}},
      {"mov.u32 $0,%envreg2", {"llvm.nvvm.read.ptx.sreg.envreg2", {}}},
      {"activemask.b32 $0", {"llvm.nvvm.activemask", {}}},
      {"exit ", {"llvm.nvvm.exit", {}}},
      {"trap ", {"llvm.trap", {}}},
      {"brkpt ", {"llvm.trap", {}}},
      {"membar.cta ", {"llvm.nvvm.membar.cta", {}}},
      {"membar.gl ", {"llvm.nvvm.membar.gl", {}}},
      {"membar.sys ", {"llvm.nvvm.membar.sys", {}}},
      {"fence.sc.gpu ", {"llvm.nvvm.membar.gl", {}}},
      {"fence.acq_rel.gpu ", {"llvm.nvvm.membar.gl", {}}},
      {"fence.sc.cta ", {"llvm.nvvm.membar.cta", {}}},
      {"fence.sc.sys ", {"llvm.nvvm.membar.sys", {}}},
      {"fence.acq_rel.cta ", {"llvm.nvvm.membar.cta", {}}},
      {"fence.acq_rel.sys ", {"llvm.nvvm.membar.sys", {}}},
      {"nanosleep.u32 $0", {"llvm.nvvm.nanosleep", {0}}},
      {"barrier.sync $0", {"llvm.nvvm.barrier.cta.sync.all", {0}}},
      {"bar.sync $0", {"llvm.nvvm.barrier.cta.sync.aligned.all", {0}}},
      {"bar.sync $0,$1", {"llvm.nvvm.barrier.cta.sync.aligned.count", {0, 1}}},
      {"barrier.sync $0,$1", {"llvm.nvvm.barrier.cta.sync.count", {0, 1}}},
      {"barrier.sync.aligned $0,$1", {"llvm.nvvm.barrier.cta.sync.aligned.count", {0, 1}}},
      {"barrier.sync.aligned $0", {"llvm.nvvm.barrier.cta.sync.aligned.all", {0}}},
      {"bar.arrive $0,$1", {"llvm.nvvm.barrier.cta.arrive.aligned.count", {0, 1}}},
      {"bar.warp.sync $0", {"llvm.nvvm.bar.warp.sync", {0}}},
      {"shfl.sync.idx.b32 $0,$1,$2,$3,$4", {"llvm.nvvm.shfl.sync.idx.i32", {3, 0, 1, 2}}},
      {"shfl.sync.up.b32 $0,$1,$2,$3,$4", {"llvm.nvvm.shfl.sync.up.i32", {3, 0, 1, 2}}},
      {"shfl.sync.down.b32 $0,$1,$2,$3,$4", {"llvm.nvvm.shfl.sync.down.i32", {3, 0, 1, 2}}},
      {"shfl.sync.bfly.b32 $0,$1,$2,$3,$4", {"llvm.nvvm.shfl.sync.bfly.i32", {3, 0, 1, 2}}},
      {"shfl.idx.b32 $0,$1,$2,$3", {"llvm.nvvm.shfl.idx.i32", {0, 1, 2}}},
      {"shfl.up.b32 $0,$1,$2,$3", {"llvm.nvvm.shfl.up.i32", {0, 1, 2}}},
      {"shfl.down.b32 $0,$1,$2,$3", {"llvm.nvvm.shfl.down.i32", {0, 1, 2}}},
      {"shfl.bfly.b32 $0,$1,$2,$3", {"llvm.nvvm.shfl.bfly.i32", {0, 1, 2}}},
      {"cp.async.commit_group ", {"llvm.nvvm.cp.async.commit.group", {}}},
      {"cp.async.wait_all ", {"llvm.nvvm.cp.async.wait.all", {}}},
      {"redux.sync.add.s32 $0,$1,$2", {"llvm.nvvm.redux.sync.add", {0, 1}}},
      {"redux.sync.add.u32 $0,$1,$2", {"llvm.nvvm.redux.sync.add", {0, 1}}},
      {"redux.sync.min.s32 $0,$1,$2", {"llvm.nvvm.redux.sync.min", {0, 1}}},
      {"redux.sync.min.u32 $0,$1,$2", {"llvm.nvvm.redux.sync.umin", {0, 1}}},
      {"redux.sync.max.s32 $0,$1,$2", {"llvm.nvvm.redux.sync.max", {0, 1}}},
      {"redux.sync.max.u32 $0,$1,$2", {"llvm.nvvm.redux.sync.umax", {0, 1}}},
      {"redux.sync.and.b32 $0,$1,$2", {"llvm.nvvm.redux.sync.and", {0, 1}}},
      {"redux.sync.or.b32 $0,$1,$2", {"llvm.nvvm.redux.sync.or", {0, 1}}},
      {"redux.sync.xor.b32 $0,$1,$2", {"llvm.nvvm.redux.sync.xor", {0, 1}}},
      {"match.any.sync.b32 $0,$1,$2", {"llvm.nvvm.match.any.sync.i32", {1, 0}}},
      {"match.any.sync.b64 $0,$1,$2", {"llvm.nvvm.match.any.sync.i64", {1, 0}}},
  };
  return table;
}

/// The operands after the result, in the text's order; numbers in the text become constants. `key` is the text with
/// operands counted through, as the table has it.
std::optional<std::vector<llvm::Value*>> operandsOf(llvm::CallInst& call, const Instruction& text, std::string& key) {
  std::vector<llvm::Value*> values;
  llvm::SmallVector<llvm::StringRef, 8> tokens;
  llvm::StringRef(text.operands).split(tokens, ',', -1, false);
  const unsigned results = call.getType()->isVoidTy() ? 0 : 1;
  key = text.mnemonic + " ";
  for (unsigned i = 0; i < tokens.size(); ++i) {
    unsigned number = 0;
    auto token = tokens[i];
    key += (i ? "," : "");
    if (token.consume_front("$") && !token.getAsInteger(10, number)) {
      if (number >= results && number - results < call.arg_size()) values.push_back(call.getArgOperand(number - results));
      else if (number != 0 || i != 0) return std::nullopt;
    } else if (!token.getAsInteger(0, number)) {
      values.push_back(llvm::ConstantInt::get(llvm::Type::getInt32Ty(call.getContext()), number));
    } else {
      key += tokens[i].str();
      continue;
    }
    key += "$" + std::to_string(i);
  }
  return values;
}

llvm::Value* callSpelling(llvm::IRBuilder<>& builder, llvm::CallInst& call, const std::vector<llvm::Value*>& all,
                          const Spelling& spelling) {
  auto id = llvm::Intrinsic::lookupIntrinsicID(spelling.intrinsic);
  if (id == llvm::Intrinsic::not_intrinsic) return nullptr;
  llvm::FunctionCallee callee = llvm::Intrinsic::getOrInsertDeclaration(call.getModule(), id);
  std::vector<llvm::Value*> operands;
  for (unsigned index : spelling.order) {
    if (index >= all.size()) return nullptr;
    operands.push_back(all[index]);
  }
  if (operands.size() != callee.getFunctionType()->getNumParams()) return nullptr;
  for (unsigned i = 0; i < operands.size(); ++i)
    if (operands[i]->getType() != callee.getFunctionType()->getParamType(i)) return nullptr;
  return builder.CreateCall(callee, operands);
}

/// The element of `ld.….v2.u32`, as IR.
struct Access {
  llvm::Type* element = nullptr;
  unsigned count = 1;
  bool atomic = false;
  bool shared = false;  ///< the address is a number inside the block's shared memory
};

llvm::Type* elementType(llvm::LLVMContext& context, llvm::StringRef suffix) {
  unsigned bits = 0;
  if (suffix.size() < 2 || suffix.drop_front().getAsInteger(10, bits)) return nullptr;
  if (suffix[0] == 'f' && bits == 32) return llvm::Type::getFloatTy(context);
  if (suffix[0] == 'f' && bits == 64) return llvm::Type::getDoubleTy(context);
  const bool integer = suffix[0] == 'u' || suffix[0] == 's' || suffix[0] == 'b';
  return integer && (bits == 8 || bits == 16 || bits == 32 || bits == 64) ? llvm::Type::getIntNTy(context, bits) : nullptr;
}

/// Modifiers that change caching only, or order that a sequentially consistent access gives anyway.
std::optional<Access> parseAccess(llvm::LLVMContext& context, llvm::StringRef mnemonic) {
  Access access;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  mnemonic.split(parts, '.');
  access.element = elementType(context, parts.back());
  if (!access.element) return std::nullopt;
  for (auto part : llvm::ArrayRef(parts).drop_front().drop_back()) {
    if (part == "v2") access.count = 2;
    else if (part == "v4") access.count = 4;
    else if (part == "shared" || part == "shared::cta") access.shared = true;
    else if (part == "volatile" || part == "relaxed" || part == "acquire" || part == "release") access.atomic = true;
    else if (part != "global" && part != "nc" && part != "weak" && part != "gpu" && part != "sys" && part != "cta" &&
             part != "ca" && part != "cg" && part != "cs" && part != "cv" && part != "lu" && part != "wb" && part != "wt" &&
             !part.starts_with("L1::") && !part.starts_with("L2::"))
      return std::nullopt;
  }
  return access;
}

std::string list(unsigned first, unsigned count) {
  std::string text = count > 1 ? "{" : "";
  for (unsigned i = 0; i < count; ++i) text += (i ? ",$" : "$") + std::to_string(first + i);
  return text + (count > 1 ? "}" : "");
}

void order(llvm::Instruction* access, bool atomic, llvm::AtomicOrdering ordering) {
  if (!atomic) return;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(access)) load->setAtomic(ordering);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(access)) store->setAtomic(ordering);
}

llvm::Value* lowerLoad(llvm::IRBuilder<>& builder, llvm::CallInst& call, const Instruction& text) {
  auto access = parseAccess(builder.getContext(), text.mnemonic);
  if (!access || call.arg_size() != 1) return nullptr;
  llvm::StringRef operands(text.operands);
  if (!operands.consume_front(list(0, access->count) + ",")) return nullptr;
  const auto offset = addressOffset(operands, access->count);
  if (!offset) return nullptr;
  auto* base = addressIn(builder, call.getArgOperand(0), access->shared, *offset);
  auto* result = call.getType();
  llvm::Value* all = llvm::PoisonValue::get(result);
  for (unsigned i = 0; i < access->count; ++i) {
    auto* part = access->count > 1 ? result->getContainedType(i) : result;
    auto* load = builder.CreateLoad(access->element, builder.CreateConstGEP1_64(access->element, base, i));
    order(load, access->atomic, llvm::AtomicOrdering::SequentiallyConsistent);
    llvm::Value* value = load;
    if (value->getType() != part && value->getType()->isIntegerTy() && part->isIntegerTy())
      value = llvm::StringRef(text.mnemonic).contains(".s") ? builder.CreateSExtOrTrunc(value, part)
                                                            : builder.CreateZExtOrTrunc(value, part);
    else if (value->getType() != part)
      value = builder.CreateBitCast(value, part);
    if (access->count == 1) return value;
    all = builder.CreateInsertValue(all, value, i);
  }
  return all;
}

bool lowerStore(llvm::IRBuilder<>& builder, llvm::CallInst& call, const Instruction& text) {
  auto access = parseAccess(builder.getContext(), text.mnemonic);
  if (!access || call.arg_size() != access->count + 1) return false;
  llvm::StringRef operands(text.operands);
  if (!operands.consume_back("," + list(1, access->count))) return false;
  const auto offset = addressOffset(operands, 0);
  if (!offset) return false;
  auto* base = addressIn(builder, call.getArgOperand(0), access->shared, *offset);
  for (unsigned i = 0; i < access->count; ++i) {
    auto* value = call.getArgOperand(i + 1);
    if (value->getType()->isIntegerTy() && access->element->isIntegerTy())
      value = builder.CreateZExtOrTrunc(value, access->element);
    else if (value->getType() != access->element)
      value = builder.CreateBitCast(value, access->element);
    auto* store = builder.CreateStore(value, builder.CreateConstGEP1_64(access->element, base, i));
    order(store, access->atomic, llvm::AtomicOrdering::SequentiallyConsistent);
  }
  return true;
}

/// `$0,$1,$2` with as many operands as the call has: the library's function of that name does it.
llvm::Value* callLibrary(llvm::IRBuilder<>& builder, llvm::CallInst& call, const Instruction& text) {
  std::string expected;
  const unsigned results = call.getType()->isVoidTy() ? 0 : 1;
  if (call.getType()->isStructTy()) return nullptr;
  for (unsigned i = 0; i < call.arg_size() + results; ++i) expected += (i ? ",$" : "$") + std::to_string(i);
  if (text.operands != expected) return nullptr;
  auto* type = llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getFunctionType();
  auto callee = call.getModule()->getOrInsertFunction("mneme.ptx." + text.mnemonic, type);
  std::vector<llvm::Value*> operands(call.args().begin(), call.args().end());
  return builder.CreateCall(callee, operands);
}

/// True if the call is replaced (its uses too) and can be erased.
bool lower(llvm::CallInst& call) {
  auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  llvm::StringRef raw(assembly->getAsmString());
  if (raw.trim().empty()) return call.getType()->isVoidTy();  // a compiler barrier
  llvm::IRBuilder<> builder(&call);
  auto* sequence = lowerSequence(builder, call, raw);
  if (auto* value = sequence ? sequence : lowerArithmetic(builder, call, raw)) {
    call.replaceAllUsesWith(value);
    return true;
  }
  auto text = parse(raw);
  if (!text || assembly->getConstraintString().find("=*") != std::string::npos) return false;
  llvm::StringRef mnemonic(text->mnemonic);
  // Launches run one after another: the earlier one is over.
  if (mnemonic.starts_with("prefetch") || mnemonic.starts_with("griddepcontrol.")) return call.getType()->isVoidTy();
  if (mnemonic.starts_with("st.")) return lowerStore(builder, call, *text);
  if (mnemonic.starts_with("cp.async.c") && call.getType()->isVoidTy() && lowerCopy(builder, call, mnemonic, text->operands)) return true;
  if (mnemonic == "cp.async.wait_group") return call.getType()->isVoidTy();
  llvm::Value* value = lowerSingle(builder, call, text->mnemonic, text->operands);
  std::string key;
  auto operands = operandsOf(call, *text, key);
  auto spelling = operands ? spellings().find(key) : spellings().end();
  if (!value) {
    if (spelling != spellings().end()) value = callSpelling(builder, call, *operands, spelling->second);
    else if (mnemonic.starts_with("ld.")) value = lowerLoad(builder, call, *text);
    else value = callLibrary(builder, call, *text);
  }
  if (!value) return false;
  if (!call.getType()->isVoidTy()) {
    if (value->getType() != call.getType()) return false;
    call.replaceAllUsesWith(value);
  }
  return true;
}

std::string quoted(const llvm::CallInst& call) {
  std::string text;
  for (char c : llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString())
    text += isspace(static_cast<unsigned char>(c)) ? ' ' : c;
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return "'" + text + "'";
}

}  // namespace

Expected<void> lowerInlineAssembly(Unit& unit) {
  if (!unit.module.getModuleInlineAsm().empty()) return unsupported(unit, "assembly at file scope");
  for (auto& function : unit.module)
    for (auto& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || !call->isInlineAsm()) continue;
      if (!lower(*call)) return unsupported(unit, "inline assembly " + quoted(*call));
      call->eraseFromParent();
    }
  substituteIntrinsics(unit.module);
  return {};
}

}  // namespace mneme::host::compiler
