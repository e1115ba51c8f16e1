// SPDX-License-Identifier: Apache-2.0
/// Nothing in a cubin's attributes says that a kernel uses texture objects, so its instructions are looked at: from sm_70
/// on they are 16 bytes long and their lowest nine bits name the operation, whatever the operands are.
#include "cubin/code_use.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace mneme::cubin {
namespace {

constexpr uint8_t kNewFlagsAbi = 8;  // from this ABI version on the architecture is in bits 8 to 15
constexpr uint32_t kFirstKnownCode = 70;
constexpr uint64_t kInstructionBytes = 16;
constexpr uint16_t kOperationMask = 0x1ff;
constexpr uint16_t kFirstTexture = 0x160, kLastTexture = 0x170;  // TEX, TLD4, TLD, TMML, TXD, TXQ
constexpr uint16_t kFirstSurface = 0x194, kLastSurface = 0x19f;  // SUATOM, SULD, SUST, SURED

// Attributes of .nv.info.<kernel>: see cubin.cpp for the layout.
constexpr uint8_t kSizedFormat = 0x04;
constexpr uint8_t kReferenceAttributes[] = {0x02, 0x06, 0x07, 0x0e, 0x14, 0x15, 0x16};

bool touchesTextures(std::span<const std::byte> code) {
  for (uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
    const uint16_t operation = *loadAt<uint16_t>(code, at) & kOperationMask;
    if ((operation >= kFirstTexture && operation <= kLastTexture) ||
        (operation >= kFirstSurface && operation <= kLastSurface))
      return true;
  }
  return false;
}

bool namesReferences(std::span<const std::byte> info) {
  for (uint64_t at = 0; at + 4 <= info.size();) {
    const auto format = static_cast<uint8_t>(info[at]), attribute = static_cast<uint8_t>(info[at + 1]);
    if (std::ranges::find(kReferenceAttributes, attribute) != std::end(kReferenceAttributes)) return true;
    at += 4 + (format == kSizedFormat ? *loadAt<uint16_t>(info, at + 2) : 0);
  }
  return false;
}

}  // namespace

uint32_t architectureNumber(const ElfView& elf) {
  return (elf.abiVersion() >= kNewFlagsAbi ? elf.flags() >> 8 : elf.flags()) & 0xff;
}

CodeUse::CodeUse(const ElfView& elf, const std::vector<ElfSymbol>& symbols) : elf_(elf), symbols_(symbols) {
  const ElfSection* graph = elf.section(".nv.callgraph");  // pairs of symbols; caller 0 and negative callees are marks
  for (uint64_t at = 0; graph && at + 8 <= graph->content.size(); at += 8) {
    const uint32_t caller = *loadAt<uint32_t>(graph->content, at), callee = *loadAt<uint32_t>(graph->content, at + 4);
    if (caller < symbols.size() && callee < symbols.size()) calls_.emplace(caller, callee);
  }
}

std::set<uint32_t> CodeUse::reachedFrom(uint32_t kernel) const {
  std::set<uint32_t> reached{kernel};
  for (std::vector<uint32_t> open{kernel}; !open.empty();) {
    const auto [first, last] = calls_.equal_range(open.back());
    open.pop_back();
    for (auto call = first; call != last; ++call)
      if (reached.insert(call->second).second) open.push_back(call->second);
  }
  return reached;
}

Sampling CodeUse::samplingOf(const ElfSymbol& function) const {
  const ElfSection* info = elf_.section(".nv.info." + std::string(function.name));
  if (info && namesReferences(info->content)) return Sampling::References;
  if (function.section == 0 || function.section >= elf_.sections().size()) return Sampling::None;
  return touchesTextures(elf_.sections()[function.section].content) ? Sampling::Objects : Sampling::None;
}

Sampling CodeUse::sampling(uint32_t kernel) const {
  if (architectureNumber(elf_) < kFirstKnownCode) return Sampling::Unknown;
  for (const uint32_t function : reachedFrom(kernel))
    if (const Sampling found = samplingOf(symbols_[function]); found != Sampling::None) return found;
  return Sampling::None;
}

bool CodeUse::heap(uint32_t kernel) const {
  return std::ranges::any_of(reachedFrom(kernel), [this](uint32_t function) {
    const std::string_view name = symbols_[function].name;
    return symbols_[function].section == 0 && (name == "malloc" || name == "free");
  });
}

/// The device runtime's entries, as nvcc names them since CUDA 12 and as it did before.
bool CodeUse::deviceLaunch(uint32_t kernel) const {
  return std::ranges::any_of(reachedFrom(kernel), [this](uint32_t function) {
    const std::string_view name = symbols_[function].name;
    return name.starts_with("__cudaCDP2LaunchDevice") || name.starts_with("cudaLaunchDevice");
  });
}

}  // namespace mneme::cubin
