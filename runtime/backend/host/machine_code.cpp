// SPDX-License-Identifier: Apache-2.0
/// What of a compiled kernel's shared object is code: its instructions and constants, not its symbols, notes or tables for
/// debuggers.
#include <array>
#include <string_view>

#include "backend/host/device.h"
#include "base/file.h"
#include "cubin/elf.h"

namespace mneme::host {
namespace {

constexpr std::array<std::string_view, 8> kCodeSections{".text",        ".rodata", ".data", ".data.rel.ro", ".rela.dyn",
                                                        ".init_array", ".tdata",  ".plt"};

bool isCode(std::string_view section) {
  for (std::string_view known : kCodeSections)
    if (section == known || (section.starts_with(known) && section[known.size()] == '.')) return true;
  return false;
}

}  // namespace

Expected<Hash128> HostKernel::machineCodeHash() {
  auto file = MappedFile::open(compiled_.objectFile());
  if (!file) return std::move(file).error();
  auto elf = ElfView::parse(file->bytes());
  if (!elf) return std::move(elf).error();
  std::string all;
  for (const ElfSection& section : elf->sections()) {
    if (!isCode(section.name)) continue;
    all += std::string(section.name) + "\n" + toHex(hash128(section.content)) + "\n";
  }
  return hash128(all);
}

}  // namespace mneme::host
