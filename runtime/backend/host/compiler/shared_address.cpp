// SPDX-License-Identifier: Apache-2.0
/// Pointers to address space 3 are such numbers where they become integers; bindThreads() gives them their block's start.
#include "backend/host/compiler/shared_address.h"

#include "backend/host/compiler/substitutes.h"

namespace mneme::host::compiler {
namespace {

constexpr unsigned kSharedSpace = 3;

/// A constant in the text, or an operand that is one.
std::optional<uint64_t> constantOf(const llvm::CallInst& call, llvm::StringRef token) {
  uint64_t number = 0;
  if (!token.getAsInteger(0, number)) return number;
  unsigned index = 0;
  if (!token.consume_front("$") || token.getAsInteger(10, index) || index >= call.arg_size()) return std::nullopt;
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(index));
  return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
}

bool namesCopy(llvm::StringRef mnemonic) {
  if (!mnemonic.consume_front("cp.async.ca.") && !mnemonic.consume_front("cp.async.cg.")) return false;
  if (!mnemonic.consume_front("shared::cta.global") && !mnemonic.consume_front("shared.global")) return false;
  return mnemonic.empty() || mnemonic.starts_with(".L2::");
}

}  // namespace

std::optional<int64_t> addressOffset(llvm::StringRef text, unsigned operand) {
  if (!text.consume_front("[$" + std::to_string(operand)) || !text.consume_back("]")) return std::nullopt;
  if (text.empty()) return 0;
  int64_t offset = 0;
  if (!text.consume_front("+") || text.getAsInteger(0, offset)) return std::nullopt;
  return offset;
}

llvm::Value* addressIn(llvm::IRBuilder<>& builder, llvm::Value* operand, bool shared, int64_t offset) {
  llvm::Value* address = operand;
  if (shared && !operand->getType()->isPointerTy()) {
    auto* number = builder.CreateZExtOrTrunc(operand, builder.getInt64Ty());
    auto* place = builder.CreateIntToPtr(number, llvm::PointerType::get(builder.getContext(), kSharedSpace));
    address = builder.CreateAddrSpaceCast(place, builder.getPtrTy());
  } else if (!operand->getType()->isPointerTy()) {
    address = builder.CreateIntToPtr(operand, builder.getPtrTy());
  }
  return offset ? builder.CreateConstGEP1_64(builder.getInt8Ty(), address, static_cast<uint64_t>(offset)) : address;
}

llvm::Value* numberInShared(llvm::IRBuilder<>& builder, llvm::Value* address) {
  auto* pointer = addressIn(builder, address, false, 0);
  auto* place = builder.CreateAddrSpaceCast(pointer, llvm::PointerType::get(builder.getContext(), kSharedSpace));
  return builder.CreatePtrToInt(place, builder.getInt64Ty());
}

bool lowerCopy(llvm::IRBuilder<>& builder, llvm::CallInst& call, llvm::StringRef mnemonic, llvm::StringRef operands) {
  llvm::SmallVector<llvm::StringRef, 4> tokens;
  operands.split(tokens, ',');
  if (!namesCopy(mnemonic) || tokens.size() < 3 || tokens.size() > 4) return false;
  const auto to = addressOffset(tokens[0], 0), from = addressOffset(tokens[1], 1);
  const auto bytes = constantOf(call, tokens[2]);
  if (!to || !from || !bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16)) return false;
  llvm::Value* given = nullptr;
  if (unsigned index = 0; tokens.size() == 4 && tokens[3].consume_front("$") && !tokens[3].getAsInteger(10, index) && index < call.arg_size())
    given = call.getArgOperand(index);
  if (tokens.size() == 4 && (!given || !given->getType()->isIntegerTy())) return false;
  copyToShared(builder, addressIn(builder, call.getArgOperand(0), true, *to), addressIn(builder, call.getArgOperand(1), false, *from), *bytes, given);
  return true;
}

}  // namespace mneme::host::compiler
