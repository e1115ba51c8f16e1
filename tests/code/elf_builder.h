// SPDX-License-Identifier: Apache-2.0
/// Makes the smallest ELF files that hold a note, for tests.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace mneme::code::test {

inline void put(std::vector<std::byte>& out, const void* data, size_t size) {
  const auto* bytes = static_cast<const std::byte*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

inline std::vector<std::byte> asBytes(const std::string& text) {
  std::vector<std::byte> out;
  put(out, text.data(), text.size());
  return out;
}

/// With `sections` the note is in a section, otherwise in a segment alone, as after sstrip.
inline std::vector<std::byte> elfWithNote(std::span<const std::byte> note, bool sections = true) {
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  head.e_type = sections ? ET_REL : ET_DYN;
  head.e_machine = EM_X86_64;
  head.e_ehsize = sizeof head;
  const uint64_t tableAt = sizeof head + note.size();
  (sections ? head.e_shoff : head.e_phoff) = tableAt;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_phentsize = sizeof(Elf64_Phdr);
  (sections ? head.e_shnum : head.e_phnum) = sections ? 2 : 1;
  std::vector<std::byte> out;
  put(out, &head, sizeof head);
  put(out, note.data(), note.size());
  if (sections) {
    const Elf64_Shdr none{};
    Elf64_Shdr section{};
    section.sh_type = SHT_NOTE;
    section.sh_offset = sizeof head;
    section.sh_size = note.size();
    section.sh_addralign = 4;
    put(out, &none, sizeof none);
    put(out, &section, sizeof section);
  } else {
    Elf64_Phdr segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof head;
    segment.p_filesz = segment.p_memsz = note.size();
    segment.p_align = 4;
    put(out, &segment, sizeof segment);
  }
  return out;
}

}  // namespace mneme::code::test
