// SPDX-License-Identifier: Apache-2.0
#include "cubin/elf.h"

#include <elf.h>

namespace mneme {
namespace {

Error corrupt(std::string what) { return {ErrorCode::CorruptRecording, "ELF: " + std::move(what)}; }

/// The NUL-terminated text at `offset` of a string table; nullopt if it does not end inside.
std::optional<std::string_view> textAt(std::span<const std::byte> table, uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const char* text = reinterpret_cast<const char*>(table.data()) + offset;
  const size_t room = table.size() - offset;
  const void* end = std::memchr(text, 0, room);
  if (!end) return std::nullopt;
  return std::string_view(text, static_cast<const char*>(end) - text);
}

bool isElf64(std::span<const std::byte> bytes, Elf64_Ehdr& header) {
  const auto loaded = loadAt<Elf64_Ehdr>(bytes, 0);
  if (!loaded) return false;
  header = *loaded;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == ELFDATA2LSB;
}

Expected<std::vector<Elf64_Shdr>> sectionHeaders(std::span<const std::byte> bytes, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> headers;
  if (header.e_shoff == 0) return headers;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return corrupt("unknown size of section headers");
  const auto first = loadAt<Elf64_Shdr>(bytes, header.e_shoff);
  if (!first) return corrupt("section table outside the file");
  const uint64_t count = header.e_shnum ? header.e_shnum : first->sh_size;
  if (count > (bytes.size() - header.e_shoff) / sizeof(Elf64_Shdr)) return corrupt("section table outside the file");
  headers.resize(count);
  std::memcpy(headers.data(), bytes.data() + header.e_shoff, count * sizeof(Elf64_Shdr));
  return headers;
}

}  // namespace

std::optional<std::span<const std::byte>> subrange(std::span<const std::byte> bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  return bytes.subspan(offset, size);
}

Expected<ElfView> ElfView::parse(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (!isElf64(bytes, header)) return corrupt("not a little-endian 64-bit file");
  auto headers = sectionHeaders(bytes, header);
  if (!headers) return std::move(headers).error();

  ElfView view;
  view.type_ = header.e_type;
  view.machine_ = header.e_machine;
  view.flags_ = header.e_flags;
  view.abiVersion_ = header.e_ident[EI_ABIVERSION];
  for (const Elf64_Shdr& entry : *headers) {
    ElfSection section{{}, entry.sh_type, entry.sh_info, entry.sh_offset, entry.sh_size, {}};
    if (entry.sh_type != SHT_NOBITS && entry.sh_type != SHT_NULL) {
      const auto content = subrange(bytes, entry.sh_offset, entry.sh_size);
      if (!content) return corrupt("a section lies outside the file");
      section.content = *content;
    }
    view.sections_.push_back(section);
  }
  const uint64_t names = header.e_shstrndx == SHN_XINDEX && !headers->empty() ? headers->front().sh_link
                                                                              : header.e_shstrndx;
  for (size_t i = 0; names != SHN_UNDEF && names < view.sections_.size() && i < headers->size(); ++i) {
    const auto name = textAt(view.sections_[names].content, (*headers)[i].sh_name);
    if (!name && (*headers)[i].sh_type != SHT_NULL) return corrupt("a section's name lies outside the string table");
    view.sections_[i].name = name.value_or(std::string_view{});
    view.byName_.emplace(view.sections_[i].name, i);
  }
  return view;
}

const ElfSection* ElfView::section(std::string_view name) const {
  const auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : &sections_[found->second];
}

Expected<std::vector<ElfSymbol>> ElfView::symbols() const {
  std::vector<ElfSymbol> symbols;
  const ElfSection* table = section(".symtab");
  const ElfSection* strings = section(".strtab");
  if (!table || !strings) return symbols;
  for (uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= table->content.size(); offset += sizeof(Elf64_Sym)) {
    const Elf64_Sym entry = *loadAt<Elf64_Sym>(table->content, offset);
    const auto name = textAt(strings->content, entry.st_name);
    if (!name) return corrupt("a symbol's name lies outside the string table");
    symbols.push_back({*name, static_cast<uint8_t>(ELF64_ST_TYPE(entry.st_info)),
                       static_cast<uint8_t>(ELF64_ST_BIND(entry.st_info)), entry.st_other, entry.st_shndx,
                       entry.st_value, entry.st_size});
  }
  return symbols;
}

}  // namespace mneme
