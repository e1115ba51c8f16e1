// SPDX-License-Identifier: Apache-2.0
/// Small files that would make much of little: what they cost stays within what they are.
#include <gtest/gtest.h>
#include <zstd.h>

#include "code/ar_file.h"
#include "code/elf_file.h"
#include "code/note_format.h"
#include "elf_builder.h"

namespace mneme::code::test {
namespace {

std::vector<std::byte> someNote() {
  Note note;
  note.kernels = {"_Z1kv"};
  auto bytes = encodeNote(note, std::as_bytes(std::span(std::string_view("some code"))));
  EXPECT_TRUE(bytes);
  return bytes ? *bytes : std::vector<std::byte>();
}

TEST(HostileNotes, SectionsThatShareTheirBytesAreRefused) {
  const auto note = someNote();
  auto elf = elfWithNote(note);
  ASSERT_TRUE(noteRanges(elf));
  Elf64_Shdr section{};
  section.sh_type = SHT_NOTE;
  section.sh_offset = sizeof(Elf64_Ehdr);
  section.sh_size = note.size();
  constexpr uint16_t kSections = 100;
  for (int i = 2; i < kSections; ++i) put(elf, &section, sizeof section);
  std::memcpy(elf.data() + offsetof(Elf64_Ehdr, e_shnum), &kSections, sizeof kSections);
  // Headers alone would leave room for some of it: the note is longer than a header.
  ASSERT_GT(note.size(), 2 * sizeof section);
  auto ranges = noteRanges(elf);
  ASSERT_FALSE(ranges);
  EXPECT_NE(ranges.error().message().find("share"), std::string::npos) << ranges.error().message();
}

TEST(HostileNotes, CodeLongerThanItsFrameCanBeIsRefused) {
  auto note = someNote();
  const size_t header = sizeof(Elf64_Nhdr) + 8;  // the owner "Mneme", padded
  const uint64_t codeBytes = 1u << 30;
  std::memcpy(note.data() + header + offsetof(NoteHeader, codeBytes), &codeBytes, sizeof codeBytes);
  auto decoded = decodeNotes({note, 4});
  ASSERT_FALSE(decoded);
  EXPECT_NE(decoded.error().message().find("impossible length"), std::string::npos) << decoded.error().message();
}

TEST(HostileNotes, CodeThatZstdShrinksMostIsReadAll) {
  const std::vector<std::byte> zeros(64u << 20);
  auto note = encodeNote(Note{}, zeros);
  ASSERT_TRUE(note);
  auto decoded = decodeNotes({*note, 4});
  ASSERT_TRUE(decoded) << decoded.error().message();
  auto code = decompress(decoded->at(0));
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(code->size(), zeros.size());
}

TEST(HostileNotes, NamesOfMembersEnd) {
  auto member = [](const std::string& name, std::string size) {
    auto field = name;
    field.resize(48, ' ');
    size.resize(10, ' ');
    return field + size + "`\n";
  };
  auto file = asBytes("!<arch>\n" + member("//", "1000000") + std::string(1000000, 'x') + member("/0", "0"));
  auto archive = readAr(file);
  ASSERT_TRUE(archive) << archive.error().message();
  EXPECT_LE(archive->members.at(0).name.size(), 4096u);
}

}  // namespace
}  // namespace mneme::code::test
