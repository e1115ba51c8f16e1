// SPDX-License-Identifier: Apache-2.0
/// Addresses in inline assembly: `[$1+16]`, generic or as numbers of places in the block's shared memory.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <optional>
#include <string>

namespace mneme::host::compiler {

/// What `[$N+offset]` adds, for that N; nothing if the text is another.
[[nodiscard]] std::optional<int64_t> addressOffset(llvm::StringRef text, unsigned operand);

/// The operand as a pointer; `shared`: unless it is a pointer, it counts from the start of the block's shared memory.
[[nodiscard]] llvm::Value* addressIn(llvm::IRBuilder<>& builder, llvm::Value* operand, bool shared, int64_t offset);

/// A generic address, as pointer or number, as the number of its place in shared memory.
[[nodiscard]] llvm::Value* numberInShared(llvm::IRBuilder<>& builder, llvm::Value* address);

/// `cp.async.ca.shared.global [$0], [$1], 16`, with a fourth operand the number of bytes that there are. False: another text.
[[nodiscard]] bool lowerCopy(llvm::IRBuilder<>& builder, llvm::CallInst& call, llvm::StringRef mnemonic, llvm::StringRef operands);

}  // namespace mneme::host::compiler
