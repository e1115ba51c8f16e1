// SPDX-License-Identifier: Apache-2.0
#include "code/ir/module_loader.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/AutoUpgrade.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cctype>
#include <charconv>

#include "code/ir/llvm_error.h"

namespace mneme::code {
namespace {

llvm::MemoryBufferRef bufferOf(const BitcodeModule& bitcode) {
  return {llvm::StringRef(reinterpret_cast<const char*>(bitcode.bytes.data()), bitcode.bytes.size()), bitcode.origin};
}

/// "LLVM22.1.8" -> 22; 0 if it says something else.
unsigned majorOf(llvm::StringRef producer) {
  while (!producer.empty() && !std::isdigit(static_cast<unsigned char>(producer.front()))) producer = producer.drop_front();
  unsigned major = 0;
  std::from_chars(producer.begin(), producer.end(), major);
  return major;
}

Expected<void> checkVersion(const BitcodeModule& bitcode) {
  auto producer = llvm::getBitcodeProducerString(bufferOf(bitcode));
  if (!producer) return fromLlvm(producer.takeError(), ErrorCode::CorruptRecording, bitcode.origin + " is not LLVM bitcode");
  if (majorOf(*producer) <= LLVM_VERSION_MAJOR) return {};
  return Error{ErrorCode::Unsupported, bitcode.origin + " was written by " + *producer + " and this Mneme reads LLVM " +
                                           LLVM_VERSION_STRING + ": build Mneme with the newer LLVM, or the program "
                                           "with an older clang"};
}

}  // namespace

Expected<std::unique_ptr<llvm::Module>> loadModule(llvm::LLVMContext& context, const BitcodeModule& bitcode) {
  if (auto checked = checkVersion(bitcode); !checked) return std::move(checked).error();
  auto module = llvm::getLazyBitcodeModule(bufferOf(bitcode), context, /*ShouldLazyLoadMetadata=*/true);
  if (!module) return fromLlvm(module.takeError(), ErrorCode::CorruptRecording, "reading " + bitcode.origin);
  if (llvm::Error failed = (*module)->materializeMetadata())
    return fromLlvm(std::move(failed), ErrorCode::CorruptRecording, "reading " + bitcode.origin);
  llvm::UpgradeNVVMAnnotations(**module);  // before LLVM 21, metadata said what a kernel is
  return std::move(*module);
}

bool isKernel(const llvm::Function& function) {
  const auto convention = function.getCallingConv();
  return !function.isDeclaration() &&
         (convention == llvm::CallingConv::PTX_Kernel || convention == llvm::CallingConv::AMDGPU_KERNEL ||
          convention == llvm::CallingConv::SPIR_KERNEL);
}

}  // namespace mneme::code
