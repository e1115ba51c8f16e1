// SPDX-License-Identifier: Apache-2.0
/// Registers and stack stand in .nv.info, by symbol; spills in .nv.info.<kernel>, as offsets of the spilling
/// instructions, whose widths are read from the machine code (128-bit instructions, sm_70 and up).
#include "code/cubin_statistics.h"

#include <algorithm>
#include <functional>
#include <map>

#include "code/instruction_classes.h"
#include "cubin/cubin.h"
#include "cubin/elf.h"

namespace mneme::code {
namespace {

using Bytes = std::span<const std::byte>;

// .nv.info: a format byte, an attribute byte, 16 bits of value or of payload size.
enum Attribute : uint8_t {
  kMaxThreads = 0x05, kFrameSize = 0x11, kParameterBytes = 0x19, kRegisterCount = 0x2f, kSpills = 0x55, kRequiredThreads = 0x10,
};
constexpr uint8_t kSizedFormat = 0x04;

constexpr uint32_t kSpillKind = 1;
constexpr uint64_t kInstructionBytes = 16;
constexpr uint64_t kOpcodeMask = 0xfff, kStoreLocal = 0x387, kLoadLocal = 0x983;
/// From sm_90 on the section of a kernel's shared memory includes the driver's kilobyte; this symbol is its sign.
constexpr char kReservedShared[] = ".nv.reservedSmem.offset0";
constexpr uint64_t kReservedSharedBytes = 1024;

struct Info {
  uint8_t attribute;
  uint16_t value;  ///< without a payload
  Bytes payload;
};

Expected<void> forEachInfo(Bytes section, const std::function<void(const Info&)>& action) {
  for (uint64_t at = 0; at + 4 <= section.size();) {
    const auto format = std::to_integer<uint8_t>(section[at]);
    Info info{std::to_integer<uint8_t>(section[at + 1]), *loadAt<uint16_t>(section, at + 2), {}};
    if (format == kSizedFormat) {
      const auto payload = subrange(section, at + 4, info.value);
      if (!payload) return Error{ErrorCode::CorruptRecording, "cubin: an attribute ends outside its section"};
      info.payload = *payload;
    }
    action(info);
    at += 4 + info.payload.size();
  }
  return {};
}

struct PerSymbol {
  uint32_t registers = 0, frame = 0;
};

/// Attributes of the whole module: pairs of symbol index and number.
Expected<std::map<uint32_t, PerSymbol>> readModuleInfo(const ElfView& elf) {
  std::map<uint32_t, PerSymbol> bySymbol;
  const ElfSection* section = elf.section(".nv.info");
  if (!section) return bySymbol;
  auto read = forEachInfo(section->content, [&](const Info& info) {
    const auto symbol = loadAt<uint32_t>(info.payload, 0), number = loadAt<uint32_t>(info.payload, 4);
    if (!symbol || !number) return;
    if (info.attribute == kRegisterCount) bySymbol[*symbol].registers = *number;
    if (info.attribute == kFrameSize) bySymbol[*symbol].frame = *number;
  });
  if (!read) return std::move(read).error();
  return bySymbol;
}

/// The width field of a memory instruction: 4, 5, 6 for 32, 64, 128 bits.
uint64_t accessBytes(uint64_t high) {
  const uint64_t width = high >> 9 & 7;
  return width >= 4 ? uint64_t{4} << std::min<uint64_t>(width - 4, 2) : width >= 2 ? 2 : 1;
}

void countSpill(Bytes code, uint32_t offset, KernelStatistics& statistics) {
  const auto low = loadAt<uint64_t>(code, offset), high = loadAt<uint64_t>(code, uint64_t{offset} + 8);
  if (!low || !high || offset % kInstructionBytes != 0) return;
  if ((*low & kOpcodeMask) == kStoreLocal) statistics.spillStoreBytes += accessBytes(*high);
  if ((*low & kOpcodeMask) == kLoadLocal) statistics.spillLoadBytes += accessBytes(*high);
}

void countSpills(const ElfView& elf, Bytes payload, Bytes code, KernelStatistics& statistics) {
  uint32_t first = UINT32_MAX;
  for (uint64_t at = 0; at + 8 <= payload.size(); at += 8) {
    if (*loadAt<uint32_t>(payload, at) != kSpillKind) continue;
    const auto offset = *loadAt<uint32_t>(payload, at + 4);
    countSpill(code, offset, statistics);
    first = std::min(first, offset);
  }
  if (first != UINT32_MAX) statistics.firstSpill = sourceLineOf(elf, statistics.kernel, first);
}

uint32_t threadsOf(Bytes payload) {
  uint64_t threads = 1;
  for (uint64_t at = 0; at < 12; at += 4) threads *= std::min(loadAt<uint32_t>(payload, at).value_or(1), 65536u);
  return static_cast<uint32_t>(std::min<uint64_t>(threads, 0xffffffff));
}

uint64_t sizeOf(const ElfView& elf, const std::string& section) {
  const ElfSection* found = elf.section(section);
  return found ? found->size : 0;
}

uint64_t reservedSharedBytes(const std::vector<ElfSymbol>& symbols) {
  const bool reserves = std::ranges::any_of(symbols, [](const ElfSymbol& symbol) { return symbol.name == kReservedShared; });
  return reserves ? kReservedSharedBytes : 0;
}

Expected<KernelStatistics> statisticsOf(const ElfView& elf, const std::string& kernel, const PerSymbol& numbers,
                                        uint64_t reservedShared) {
  KernelStatistics statistics;
  statistics.kernel = kernel;
  statistics.registers = numbers.registers;
  statistics.stackBytes = numbers.frame;
  const uint64_t shared = sizeOf(elf, ".nv.shared." + kernel);
  statistics.sharedBytes = shared - std::min(shared, reservedShared);
  statistics.constantBytes = sizeOf(elf, ".nv.constant3") + sizeOf(elf, ".nv.constant2." + kernel);
  statistics.codeBytes = sizeOf(elf, ".text." + kernel);
  const ElfSection *info = elf.section(".nv.info." + kernel), *text = elf.section(".text." + kernel);
  if (text) statistics.instructions = countInstructions(text->content);
  if (!info) return statistics;
  auto read = forEachInfo(info->content, [&](const Info& entry) {
    if (entry.attribute == kParameterBytes) statistics.parameterBytes = entry.value;
    if (entry.attribute == kMaxThreads || entry.attribute == kRequiredThreads) statistics.maxThreads = threadsOf(entry.payload);
    if (entry.attribute == kSpills && text) countSpills(elf, entry.payload, text->content, statistics);
  });
  if (!read) return std::move(read).error().context(kernel);
  return statistics;
}

}  // namespace

Expected<std::vector<KernelStatistics>> cubinStatistics(Bytes image) {
  const auto cubin = cubin::parse(image);
  if (!cubin) return Error(cubin.error());
  const auto elf = ElfView::parse(image);
  if (!elf) return Error(elf.error());
  const auto symbols = elf->symbols();
  if (!symbols) return Error(symbols.error());
  const auto numbers = readModuleInfo(*elf);
  if (!numbers) return Error(numbers.error());

  std::vector<KernelStatistics> all;
  for (uint32_t i = 0; i < symbols->size(); ++i) {
    const std::string name((*symbols)[i].name);
    const auto found = numbers->find(i);
    if (found == numbers->end() || !cubin->kernel(name)) continue;
    auto statistics = statisticsOf(*elf, name, found->second, reservedSharedBytes(*symbols));
    if (!statistics) return std::move(statistics).error();
    statistics->architecture = cubin->architecture;
    all.push_back(std::move(*statistics));
  }
  return all;
}

}  // namespace mneme::code
