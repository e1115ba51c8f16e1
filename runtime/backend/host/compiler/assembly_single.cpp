// SPDX-License-Identifier: Apache-2.0
/// Every scope is the process and every order sequential consistency, which is at least what was asked for.
#include "backend/host/compiler/assembly_single.h"

#include "backend/host/compiler/shared_address.h"

#include <llvm/ADT/StringSwitch.h>

#include <optional>

namespace mneme::host::compiler {
namespace {

using Update = llvm::AtomicRMWInst::BinOp;

/// `atom.acq_rel.gpu.global.add.u32`, or `atom.add.release.gpu.u32` as CUDA's headers write it, as what matters of it.
struct Atomic {
  std::string operation;
  char kind = 0;        ///< u, s, b or f
  bool shared = false;  ///< the address is a number inside the block's shared memory
  unsigned bits = 0;
};

bool changesNothing(llvm::StringRef modifier) {
  return llvm::StringSwitch<bool>(modifier)
      .Cases({"relaxed", "acquire", "release", "acq_rel", "sc", "cta", "gpu", "sys", "cluster", "global"}, true)
      .Default(false);
}

std::optional<Atomic> parseAtomic(llvm::StringRef mnemonic) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  mnemonic.split(parts, '.');
  if (parts.size() < 3) return std::nullopt;
  Atomic atomic;
  auto type = parts.pop_back_val();
  atomic.kind = type.front();
  if (type.drop_front().getAsInteger(10, atomic.bits) || (atomic.bits != 32 && atomic.bits != 64)) return std::nullopt;
  for (auto part : llvm::ArrayRef(parts).drop_front()) {
    if (changesNothing(part)) continue;
    if (part == "shared" || part == "shared::cta") {
      atomic.shared = true;
      continue;
    }
    if (!atomic.operation.empty()) return std::nullopt;
    atomic.operation = part.str();
  }
  return atomic;
}

std::optional<Update> updateOf(const Atomic& atomic) {
  const bool floating = atomic.kind == 'f', isSigned = atomic.kind == 's';
  if (floating) return atomic.operation == "add" ? std::optional(Update::FAdd) : std::nullopt;
  return llvm::StringSwitch<std::optional<Update>>(atomic.operation)
      .Case("add", Update::Add).Case("and", Update::And).Case("or", Update::Or).Case("xor", Update::Xor)
      .Case("exch", Update::Xchg).Case("inc", Update::UIncWrap).Case("dec", Update::UDecWrap)
      .Case("min", isSigned ? Update::Min : Update::UMin).Case("max", isSigned ? Update::Max : Update::UMax)
      .Default(std::nullopt);
}

bool fits(const llvm::Value* value, const Atomic& atomic) {
  auto* type = value->getType();
  if (atomic.kind == 'f') return atomic.bits == 32 ? type->isFloatTy() : type->isDoubleTy();
  return type->isIntegerTy(atomic.bits);
}

llvm::Value* lowerAtomic(llvm::IRBuilder<>& builder, llvm::CallInst& call, llvm::StringRef mnemonic, const std::string& operands) {
  const bool answers = mnemonic.starts_with("atom.");
  const auto atomic = parseAtomic(mnemonic);
  if (!atomic || call.getType()->isVoidTy() == answers || call.arg_size() < 2) return nullptr;
  const bool swaps = atomic->operation == "cas";
  const std::string wanted = swaps ? "$0,[$1],$2,$3" : answers ? "$0,[$1],$2" : "[$0],$1";
  auto* number = call.getArgOperand(0);
  if (!atomic->shared && number->getType()->isIntegerTy(32)) return nullptr;
  auto* address = addressIn(builder, number, atomic->shared, 0);
  if (operands != wanted || call.arg_size() != (swaps ? 3u : 2u) || !fits(call.getArgOperand(1), *atomic)) return nullptr;
  constexpr auto kOrder = llvm::AtomicOrdering::SequentiallyConsistent;
  if (swaps) {
    if (!fits(call.getArgOperand(2), *atomic) || atomic->kind == 'f') return nullptr;
    auto* pair = builder.CreateAtomicCmpXchg(address, call.getArgOperand(1), call.getArgOperand(2), llvm::MaybeAlign(), kOrder, kOrder);
    return builder.CreateExtractValue(pair, 0);
  }
  const auto update = updateOf(*atomic);
  return update ? builder.CreateAtomicRMW(*update, address, call.getArgOperand(1), llvm::MaybeAlign(), kOrder) : nullptr;
}

/// `lop3.b32 $0,$1,$2,$3,TABLE`: bit i of the table is the answer for the inputs that spell i.
llvm::Value* lowerLogic(llvm::IRBuilder<>& builder, llvm::CallInst& call, llvm::StringRef operands) {
  unsigned table = 0;
  if (call.arg_size() < 3 || !operands.consume_front("$0,$1,$2,$3,")) return nullptr;
  if (operands == "$4" && call.arg_size() == 4) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(3));
    if (!constant) return nullptr;
    table = static_cast<unsigned>(constant->getZExtValue());
  } else if (call.arg_size() != 3 || operands.getAsInteger(0, table)) {
    return nullptr;
  }
  if (table > 255 || !call.getType()->isIntegerTy(32)) return nullptr;
  llvm::Value* result = builder.getInt32(0);
  for (unsigned row = 0; row < 8; ++row) {
    if (!(table >> row & 1)) continue;
    llvm::Value* term = builder.getInt32(~0u);
    for (unsigned input = 0; input < 3; ++input) {
      auto* bit = call.getArgOperand(input);
      term = builder.CreateAnd(term, row >> (2 - input) & 1 ? bit : builder.CreateNot(bit));
    }
    result = builder.CreateOr(result, term);
  }
  return result;
}

}  // namespace

llvm::Value* lowerSingle(llvm::IRBuilder<>& builder, llvm::CallInst& call, const std::string& mnemonic, const std::string& operands) {
  llvm::StringRef name(mnemonic);
  if (name.starts_with("atom.") || name.starts_with("red.")) return lowerAtomic(builder, call, name, operands);
  return name == "lop3.b32" ? lowerLogic(builder, call, operands) : nullptr;
}

}  // namespace mneme::host::compiler
