// SPDX-License-Identifier: Apache-2.0
#include "cubin/cubin.h"

#include <elf.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "cubin/code_use.h"
#include "cubin/elf.h"

namespace mneme::cubin {
namespace {

constexpr uint16_t kMachine = 190;         // EM_CUDA
constexpr uint8_t kEntryFlag = 0x10;       // st_other of a kernel
constexpr uint8_t kManagedFlag = 0x04;     // st_other of a __managed__ variable
constexpr std::string_view kInfoPrefix = ".nv.info.";
constexpr uint64_t kMaxKernelBytes = 64 * 1024;  // parameters of one kernel; the hardware's limit is below 32 KiB

// One attribute of .nv.info: a format byte, an attribute byte, 16 bits of value or of payload size.
constexpr uint8_t kSizedFormat = 0x04;
constexpr uint8_t kParameterInfo = 0x17;    // 12 bytes: index, ordinal, offset, packed sizes
constexpr uint8_t kParameterInfoV2 = 0x45;  // 12 bytes: index, ordinal, offset, size

Error corrupt(std::string what) { return {ErrorCode::CorruptRecording, "cubin: " + std::move(what)}; }

struct Parameter {
  uint16_t ordinal;
  ParameterSlot slot;
};

std::optional<Parameter> parameterFrom(std::span<const std::byte> payload, uint8_t attribute) {
  const auto ordinal = loadAt<uint16_t>(payload, 4);
  const auto offset = loadAt<uint16_t>(payload, 6);
  const auto size = loadAt<uint32_t>(payload, 8);
  if (!ordinal || !offset || !size) return std::nullopt;
  const uint32_t bytes = attribute == kParameterInfo ? *size >> 18 : *size;
  return Parameter{*ordinal, {*offset, bytes}};
}

Expected<std::vector<ParameterSlot>> parametersFrom(std::span<const std::byte> info) {
  std::vector<Parameter> found;
  for (uint64_t at = 0; at + 4 <= info.size();) {
    const auto format = static_cast<uint8_t>(info[at]), attribute = static_cast<uint8_t>(info[at + 1]);
    const uint64_t payloadSize = format == kSizedFormat ? *loadAt<uint16_t>(info, at + 2) : 0;
    const auto payload = subrange(info, at + 4, payloadSize);
    if (!payload) return corrupt("an attribute ends outside its section");
    if (format == kSizedFormat && (attribute == kParameterInfo || attribute == kParameterInfoV2)) {
      const auto parameter = parameterFrom(*payload, attribute);
      if (!parameter) return corrupt("a parameter's description is too short");
      if (uint64_t{parameter->slot.offset} + parameter->slot.size > kMaxKernelBytes)
        return corrupt("a parameter is larger than any kernel takes");
      found.push_back(*parameter);
    }
    at += 4 + payloadSize;
  }
  std::ranges::sort(found, {}, &Parameter::ordinal);
  std::vector<ParameterSlot> slots;
  for (const Parameter& parameter : found) {
    if (parameter.ordinal != slots.size()) return corrupt("a parameter is missing or described twice");
    slots.push_back(parameter.slot);
  }
  return slots;
}

/// nullopt: the symbol is not a variable that a program can set.
std::optional<Variable> variableFrom(const ElfView& elf, const ElfSymbol& symbol) {
  if (symbol.type != STT_OBJECT || symbol.size == 0 || symbol.section == 0) return std::nullopt;
  if (symbol.section >= elf.sections().size() || symbol.name.empty()) return std::nullopt;
  const std::string_view section = elf.sections()[symbol.section].name;
  const bool constant = section == ".nv.constant3";
  if (!constant && section != ".nv.global" && section != ".nv.global.init") return std::nullopt;
  if (symbol.name.front() == '$' || symbol.name.front() == '.') return std::nullopt;  // the compiler's own
  return Variable{std::string(symbol.name), symbol.size, constant, (symbol.other & kManagedFlag) != 0};
}

}  // namespace

const Kernel* Cubin::kernel(std::string_view name) const {
  const auto found = std::ranges::find(kernels, name, &Kernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

bool isCubin(std::span<const std::byte> bytes) {
  const auto header = loadAt<Elf64_Ehdr>(bytes, 0);
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_machine == kMachine;
}

Expected<Cubin> parse(std::span<const std::byte> bytes) {
  if (!isCubin(bytes)) return corrupt("not a cubin");
  const auto elf = ElfView::parse(bytes);
  if (!elf) return Error(elf.error()).context("cubin");
  const auto symbols = elf->symbols();
  if (!symbols) return Error(symbols.error()).context("cubin");

  const CodeUse use(*elf, *symbols);
  Cubin cubin;
  cubin.architecture = "sm_" + std::to_string(architectureNumber(*elf));
  cubin.relocatable = elf->type() == ET_REL;
  for (const ElfSymbol& symbol : *symbols) {
    if (symbol.type == STT_FUNC && (symbol.other & kEntryFlag) && symbol.section != 0) {
      Kernel kernel;
      kernel.name = symbol.name;
      if (const ElfSection* info = elf->section(std::string(kInfoPrefix) + kernel.name)) {
        auto slots = parametersFrom(info->content);
        if (!slots) return std::move(slots).error().context(kernel.name);
        kernel.parameters = std::move(*slots);
      }
      const auto number = static_cast<uint32_t>(&symbol - symbols->data());
      kernel.sampling = use.sampling(number);
      kernel.usesHeap = use.heap(number);
      kernel.launchesKernels = use.deviceLaunch(number);
      cubin.kernels.push_back(std::move(kernel));
    } else if (auto variable = variableFrom(*elf, symbol)) {
      cubin.variables.push_back(std::move(*variable));
    }
  }
  return cubin;
}

}  // namespace mneme::cubin
