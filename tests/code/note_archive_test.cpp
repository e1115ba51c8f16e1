// SPDX-License-Identifier: Apache-2.0
/// Notes survive the way into a file and back; damaged files are errors, never crashes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "code/notes.h"
#include "elf_builder.h"

namespace mneme::code {
namespace {

namespace fs = std::filesystem;
using test::asBytes;
using test::elfWithNote;

class NoteArchiveTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "mneme-notes-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, std::span<const std::byte> bytes) {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return folder_ / name;
  }

  fs::path folder_;
};

Note sampleNote() {
  Note note;
  note.kind = CodeKind::Llvm;
  note.architecture = "sm_90";
  note.source = "src/a b.cu";
  note.directory = "/tmp/x";
  note.command = {"g++", "-c", "src/a b.cu"};
  note.compiler = "clang 22";
  note.kernels = {"_Z3addPf", "_Z3mulPf"};
  return note;
}

std::vector<std::byte> encoded(const Note& note, const std::string& code) {
  auto bytes = encodeNote(note, asBytes(code));
  EXPECT_TRUE(bytes);
  return *bytes;
}

TEST_F(NoteArchiveTest, ReadsBackWhatWasEncoded) {
  const auto archive = NoteArchive::open(write("a.o", elfWithNote(encoded(sampleNote(), "some code"))));
  ASSERT_TRUE(archive) << archive.error().message();
  ASSERT_EQ(archive->notes().size(), 1u);
  const Note& note = archive->notes()[0];
  EXPECT_EQ(note.source, "src/a b.cu");
  EXPECT_EQ(note.kernels, sampleNote().kernels);
  EXPECT_EQ(note.command, sampleNote().command);
  EXPECT_EQ(note.binary, folder_ / "a.o");
  const auto code = archive->code(note);
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(*code, asBytes("some code"));
}

TEST_F(NoteArchiveTest, FindsEveryNoteOfASection) {
  auto both = encoded(sampleNote(), "first");
  Note ptx = sampleNote();
  ptx.kind = CodeKind::Ptx;
  const auto second = encoded(ptx, "second, of another length");
  both.insert(both.end(), second.begin(), second.end());
  const auto archive = NoteArchive::open(write("a.o", elfWithNote(both)));
  ASSERT_TRUE(archive);
  ASSERT_EQ(archive->notes().size(), 2u);
  EXPECT_EQ(archive->notes()[1].kind, CodeKind::Ptx);
  EXPECT_EQ(*archive->code(archive->notes()[1]), asBytes("second, of another length"));
}

TEST_F(NoteArchiveTest, FallsBackToSegmentsWithoutSectionHeaders) {
  const auto archive = NoteArchive::open(write("a.so", elfWithNote(encoded(sampleNote(), "code"), false)));
  ASSERT_TRUE(archive) << archive.error().message();
  EXPECT_EQ(archive->notes().size(), 1u);
}

TEST_F(NoteArchiveTest, EmptyCodeIsKept) {
  const auto archive = NoteArchive::open(write("a.o", elfWithNote(encoded(sampleNote(), ""))));
  ASSERT_TRUE(archive);
  const auto code = archive->code(archive->notes().at(0));
  ASSERT_TRUE(code);
  EXPECT_TRUE(code->empty());
}

TEST_F(NoteArchiveTest, NamesAFileThatIsNeitherElfNorArchive) {
  const auto archive = NoteArchive::open(write("a.txt", asBytes("hello")));
  ASSERT_FALSE(archive);
  EXPECT_EQ(archive.error().code(), ErrorCode::InvalidArgument);
  EXPECT_NE(archive.error().message().find("a.txt"), std::string::npos);
}

TEST_F(NoteArchiveTest, ReadsItsOwnProcess) {
  const auto archive = NoteArchive::openProcess();
  ASSERT_TRUE(archive) << archive.error().message();
  EXPECT_TRUE(archive->notes().empty());
}

TEST_F(NoteArchiveTest, ReadsTheLibrariesOfThisProgram) {
  const auto archive = NoteArchive::openWithLibraries("/proc/self/exe");
  ASSERT_TRUE(archive) << archive.error().message();
}

/// Opens, and asks for all code: what a reader of a foreign file does.
void readAll(const fs::path& path) {
  const auto archive = NoteArchive::openWithLibraries(path);
  if (!archive) return;
  for (const Note& note : archive->notes()) {
    const auto code = archive->code(note);
    if (code) {
      EXPECT_EQ(*code, asBytes("some code")) << path;
    }
  }
}

TEST_F(NoteArchiveTest, SurvivesTruncationAtEveryLength) {
  for (const bool sections : {true, false}) {
    const auto whole = elfWithNote(encoded(sampleNote(), "some code"), sections);
    for (size_t size = 0; size < whole.size(); ++size) {
      const auto archive = NoteArchive::open(write("cut", std::span(whole).first(size)));
      EXPECT_FALSE(archive) << size;
    }
  }
}

TEST_F(NoteArchiveTest, SurvivesEveryFlippedByte) {
  for (const bool sections : {true, false}) {
    const auto whole = elfWithNote(encoded(sampleNote(), "some code"), sections);
    for (size_t at = 0; at < whole.size(); ++at)
      for (const auto mask : {std::byte{0xff}, std::byte{0x01}, std::byte{0x80}}) {
        auto flipped = whole;
        flipped[at] ^= mask;
        readAll(write("flipped", flipped));
      }
  }
}

TEST_F(NoteArchiveTest, RefusesAHugeDeclaredSize) {
  auto bytes = encoded(sampleNote(), "some code");
  NoteHeader head;
  std::memcpy(&head, bytes.data() + 20, sizeof head);
  head.codeBytes = uint64_t{1} << 60;
  std::memcpy(bytes.data() + 20, &head, sizeof head);
  const auto archive = NoteArchive::open(write("huge", elfWithNote(bytes)));
  ASSERT_FALSE(archive);
  EXPECT_NE(archive.error().message().find("1 GiB"), std::string::npos) << archive.error().message();
}

TEST_F(NoteArchiveTest, NamesANewerVersion) {
  auto bytes = encoded(sampleNote(), "some code");
  bytes[20] = std::byte{2};
  const auto archive = NoteArchive::open(write("newer", elfWithNote(bytes)));
  ASSERT_FALSE(archive);
  EXPECT_EQ(archive.error().code(), ErrorCode::Unsupported);
}

}  // namespace
}  // namespace mneme::code
