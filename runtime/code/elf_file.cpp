// SPDX-License-Identifier: Apache-2.0
/// Reads ELF headers by value, so that unaligned and truncated files are harmless.
#include "code/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace mneme::code {
namespace {

using Bytes = std::span<const std::byte>;

Error broken(const std::string& what) { return {ErrorCode::InvalidArgument, "broken ELF file: " + what}; }

std::optional<Bytes> slice(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

template <typename T>
std::optional<T> readAs(Bytes bytes, uint64_t offset) {
  const auto part = slice(bytes, offset, sizeof(T));
  if (!part) return std::nullopt;
  T value;
  std::memcpy(&value, part->data(), sizeof value);
  return value;
}

Expected<Elf64_Ehdr> header(Bytes elf) {
  const auto head = readAs<Elf64_Ehdr>(elf, 0);
  if (!isElf(elf) || !head) return broken("no header");
  if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB)
    return Error(ErrorCode::Unsupported, "not a 64-bit little-endian ELF file");
  return *head;
}

/// `count` entries of type T from `offset`, `entrySize` bytes apart.
template <typename T>
Expected<std::vector<T>> table(Bytes elf, uint64_t offset, uint64_t count, uint64_t entrySize, const char* what) {
  if (count == 0) return std::vector<T>{};
  if (entrySize < sizeof(T) || count > elf.size() / entrySize || !slice(elf, offset, count * entrySize))
    return broken(std::string(what) + " outside of the file");
  std::vector<T> entries;
  for (uint64_t i = 0; i < count; ++i) entries.push_back(*readAs<T>(elf, offset + i * entrySize));
  return entries;
}

Expected<std::vector<Elf64_Shdr>> sections(Bytes elf, const Elf64_Ehdr& head) {
  if (head.e_shoff == 0) return std::vector<Elf64_Shdr>{};
  uint64_t count = head.e_shnum;
  if (count == 0) {  // 65280 sections or more: the number stands in the first one
    const auto first = readAs<Elf64_Shdr>(elf, head.e_shoff);
    if (!first) return broken("section headers outside of the file");
    count = first->sh_size;
  }
  return table<Elf64_Shdr>(elf, head.e_shoff, count, head.e_shentsize, "section headers");
}

Expected<std::vector<Elf64_Phdr>> segments(Bytes elf, const Elf64_Ehdr& head) {
  return table<Elf64_Phdr>(elf, head.e_phoff, head.e_phnum, head.e_phentsize, "program headers");
}

/// Collects note ranges, which together are no longer than the file: ranges that share bytes would multiply the work.
class NoteRanges {
 public:
  explicit NoteRanges(Bytes elf) : elf_(elf) {}

  Expected<void> add(uint64_t offset, uint64_t size, uint64_t alignment) {
    const auto bytes = slice(elf_, offset, size);
    if (!bytes) return broken("notes outside of the file");
    total_ += size;
    if (total_ > elf_.size()) return broken("notes that share their bytes");
    ranges_.push_back({*bytes, alignment});
    return {};
  }
  std::vector<NoteRange> take() { return std::move(ranges_); }

 private:
  Bytes elf_;
  uint64_t total_ = 0;
  std::vector<NoteRange> ranges_;
};

Expected<std::vector<NoteRange>> noteSegments(Bytes elf, const Elf64_Ehdr& head) {
  auto all = segments(elf, head);
  if (!all) return std::move(all).error();
  NoteRanges ranges(elf);
  for (const Elf64_Phdr& segment : *all)
    if (segment.p_type == PT_NOTE)
      if (auto added = ranges.add(segment.p_offset, segment.p_filesz, segment.p_align); !added) return std::move(added).error();
  return ranges.take();
}

/// File offset of a loaded address, with the bytes that follow it in its segment.
std::optional<Bytes> atAddress(Bytes elf, const std::vector<Elf64_Phdr>& all, uint64_t address) {
  for (const Elf64_Phdr& s : all) {
    if (s.p_type != PT_LOAD || address < s.p_vaddr || address - s.p_vaddr >= s.p_filesz) continue;
    const uint64_t skip = address - s.p_vaddr;
    const auto bytes = slice(elf, s.p_offset, s.p_filesz);
    return bytes ? slice(*bytes, skip, s.p_filesz - skip) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> textAt(Bytes strings, uint64_t offset) {
  if (offset >= strings.size()) return std::nullopt;
  const Bytes rest = strings.subspan(offset);
  const auto end = std::find(rest.begin(), rest.end(), std::byte{0});
  if (end == rest.end()) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(rest.data()), static_cast<size_t>(end - rest.begin()));
}

std::vector<Elf64_Dyn> dynamicEntries(Bytes dynamic) {
  std::vector<Elf64_Dyn> entries;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.size(); at += sizeof(Elf64_Dyn)) {
    entries.push_back(*readAs<Elf64_Dyn>(dynamic, at));
    if (entries.back().d_tag == DT_NULL) break;
  }
  return entries;
}

uint64_t valueOf(const std::vector<Elf64_Dyn>& entries, int64_t tag) {
  for (const Elf64_Dyn& entry : entries)
    if (entry.d_tag == tag) return entry.d_un.d_val;
  return 0;
}

Expected<DynamicInfo> readDynamic(const std::vector<Elf64_Dyn>& entries, Bytes strings) {
  DynamicInfo info;
  uint64_t total = 0;  // entries that share a long text would multiply it
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH) continue;
    auto text = textAt(strings, entry.d_un.d_val);
    if (!text) return broken("a dynamic string outside of its table");
    total += text->size();
    if (total > strings.size()) return broken("dynamic strings longer than their table");
    if (entry.d_tag == DT_NEEDED) info.needed.push_back(std::move(*text));
    else (entry.d_tag == DT_RPATH ? info.rpath : info.runpath) = std::move(*text);
  }
  return info;
}

}  // namespace

bool isElf(std::span<const std::byte> bytes) {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

Expected<std::vector<NoteRange>> noteRanges(std::span<const std::byte> elf) {
  const auto head = header(elf);
  if (!head) return head.error();
  auto all = sections(elf, *head);
  if (!all) return std::move(all).error();
  if (all->empty()) return noteSegments(elf, *head);
  NoteRanges ranges(elf);
  for (const Elf64_Shdr& section : *all)
    if (section.sh_type == SHT_NOTE)
      if (auto added = ranges.add(section.sh_offset, section.sh_size, section.sh_addralign); !added) return std::move(added).error();
  return ranges.take();
}

Expected<DynamicInfo> dynamicInfo(std::span<const std::byte> elf) {
  const auto head = header(elf);
  if (!head) return head.error();
  const auto all = segments(elf, *head);
  if (!all) return all.error();
  for (const Elf64_Phdr& segment : *all) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto dynamic = slice(elf, segment.p_offset, segment.p_filesz);
    if (!dynamic) return broken("the dynamic section outside of the file");
    const auto entries = dynamicEntries(*dynamic);
    const auto strings = atAddress(elf, *all, valueOf(entries, DT_STRTAB));
    if (!strings) return broken("no dynamic string table");
    return readDynamic(entries, *strings);
  }
  return DynamicInfo{};
}

}  // namespace mneme::code
