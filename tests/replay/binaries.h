// SPDX-License-Identifier: Apache-2.0
/// A file with the given notes, as a build leaves them; gone at the end of the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>
#include <string>
#include <vector>

#include "../code/elf_builder.h"
#include "code/notes.h"

namespace mneme::replay::test {

struct NoteSpec {
  std::string source, code;
  std::vector<std::string> kernels;
  CodeKind kind = CodeKind::Llvm;
  std::string architecture = "sm_90";
};

class Binary {
 public:
  explicit Binary(const std::vector<NoteSpec>& specs) {
    std::vector<std::byte> notes;
    for (const auto& spec : specs) append(notes, spec);
    auto name = testing::TempDir() + "mneme_binary_XXXXXX";
    ::close(::mkstemp(name.data()));
    path_ = name;
    auto elf = code::test::elfWithNote(notes);
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
  }
  ~Binary() { std::filesystem::remove(path_); }
  Binary(const Binary&) = delete;
  Binary& operator=(const Binary&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static void append(std::vector<std::byte>& notes, const NoteSpec& spec) {
    code::Note note;
    note.kind = spec.kind;
    note.architecture = spec.architecture;
    note.source = spec.source;
    note.directory = "/project";
    note.compiler = "clang 22.1.8";
    note.kernels = spec.kernels;
    auto bytes = code::test::asBytes(spec.code);
    note.hash = hash128(std::span<const std::byte>(bytes));
    auto encoded = code::encodeNote(note, bytes);
    ASSERT_TRUE(encoded) << encoded.error().message();
    notes.insert(notes.end(), encoded->begin(), encoded->end());
  }
  std::filesystem::path path_;
};

}  // namespace mneme::replay::test
