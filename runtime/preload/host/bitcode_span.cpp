// SPDX-License-Identifier: Apache-2.0
/// Walks bitcode's top-level blocks; each says its length in words.
#include "preload/host/bitcode_span.h"

#include <link.h>

#include <cstdint>
#include <cstring>

namespace mneme::host_runtime {
namespace {

constexpr uint32_t kRawMagic = 0xdec04342;      // 'B' 'C' 0xc0 0xde
constexpr uint32_t kWrapperMagic = 0x0b17c0de;  // then version, offset, size, processor
constexpr uint32_t kEnterSubblock = 1;

std::optional<uint32_t> wordAt(std::span<const std::byte> bytes, size_t offset) {
  if (bytes.size() < 4 || offset > bytes.size() - 4) return std::nullopt;
  uint32_t word;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

/// Identification, module, string table, symbol table. Eight bits of block number, four of abbreviation width.
bool opensTopLevelBlock(uint32_t word) {
  uint32_t abbreviation = word & 3, block = word >> 2 & 0xff, padding = word >> 14;
  if (abbreviation != kEnterSubblock || padding != 0) return false;
  return block == 8 || block == 13 || block == 23 || block == 24 || block == 25;
}

struct SegmentSearch {
  uint64_t address;
  uint64_t end = 0;
};

int findSegment(dl_phdr_info* object, size_t, void* data) {
  auto* search = static_cast<SegmentSearch*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    uint64_t begin = object->dlpi_addr + header.p_vaddr, end = begin + header.p_memsz;
    if (search->address < begin || search->address >= end) continue;
    search->end = end;
    return 1;
  }
  return 0;
}

}  // namespace

std::optional<std::span<const std::byte>> bitcodeAt(std::span<const std::byte> bytes) {
  auto magic = wordAt(bytes, 0);
  if (magic == kWrapperMagic) {
    auto offset = wordAt(bytes, 8), size = wordAt(bytes, 12);
    if (!offset || !size || uint64_t{*offset} + *size > bytes.size()) return std::nullopt;
    return bytes.first(*offset + *size);
  }
  if (magic != kRawMagic) return std::nullopt;
  size_t end = 4;
  bool hasModule = false;
  while (auto head = wordAt(bytes, end)) {
    if (!opensTopLevelBlock(*head)) break;
    auto words = wordAt(bytes, end + 4);
    if (!words || uint64_t{*words} * 4 > bytes.size() - end - 8) return std::nullopt;
    hasModule |= (*head >> 2 & 0xff) == 8;
    end += 8 + size_t{*words} * 4;
  }
  if (!hasModule) return std::nullopt;
  return bytes.first(end);
}

std::span<const std::byte> restOfSegment(const void* address) {
  SegmentSearch search{reinterpret_cast<uint64_t>(address)};
  dl_iterate_phdr(findSegment, &search);
  if (!search.end) return {};
  return {static_cast<const std::byte*>(address), search.end - search.address};
}

}  // namespace mneme::host_runtime
