// SPDX-License-Identifier: Apache-2.0
/// mneme_fuzz_seeds <examples> <seeds>: real recordings, and the smallest files that hold a note, for the fuzzer to start from.
#include <cstdio>
#include <cstdlib>

#include "../code/elf_builder.h"
#include "code/notes.h"
#include "format/archive.h"
#include "format/recording_set.h"
#include "fuzz.h"

namespace mneme::fuzz {
namespace {

template <typename T>
T need(Expected<T> value) {
  if (!value) demand(false, "no seed", value.error().message());
  return std::move(*value);
}

void recordings(const fs::path& examples, const fs::path& seeds) {
  size_t found = 0;
  for (const auto& example : fs::directory_iterator(examples)) {
    const auto set = example.path() / "recordings";
    if (!fs::is_directory(set)) continue;
    for (const auto& manifest : need(format::listManifests(set))) {
      const auto name = manifest.filename().string();
      fs::copy_file(manifest, seeds / "manifest" / name);
      const auto file = seeds / "import" / (name + ".mneme");
      need(format::exportRecordings(std::span(&manifest, 1), file, {}));
      if (fs::file_size(file) > 64 * 1024) fs::remove(file);  // nothing is learned from many chunks
      ++found;
    }
  }
  demand(found != 0, "no recordings in the examples", examples.native());
}

std::vector<std::byte> note(CodeKind kind) {
  code::Note note;
  note.kind = kind;
  note.architecture = "sm_90";
  note.source = "a.cu";
  note.command = {"clang++", "-c", "a.cu"};
  note.kernels = {"_Z1kPf"};
  return need(code::encodeNote(note, asBytes("; module of one kernel, one kernel, one kernel, one kernel")));
}

std::string text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::string library(const std::string& member) {
  std::string size = std::to_string(member.size());
  size.resize(10, ' ');
  return "!<arch>\na.o/            0           0     0     644     " + size + "`\n" + member + (member.size() % 2 ? "\n" : "");
}

void notes(const fs::path& seeds) {
  const auto first = note(CodeKind::Llvm), second = note(CodeKind::Ptx);
  const auto object = code::test::elfWithNote(first);
  writeFile(seeds / "object", object);
  writeFile(seeds / "stripped", code::test::elfWithNote(second, false));
  writeFile(seeds / "library", asBytes(library(text(object))));
  writeFile(seeds / "self", asBytes("!<thin>\nself/           0           0     0     644     4         `\n"));
}

void tolerances(const fs::path& seeds) {
  writeFile(seeds / "specification", asBytes("buffer:atol=1e-6,rtol=0.5,ulp=4"));
  writeFile(seeds / "file", asBytes(R"({"format": {"major": 1, "minor": 0}, "tolerances": [{"kernel": "_Z1kPf", "buffer": "x", "atol": 1e-6}, {"kernel": "_Z1kPf", "rtol": 0.5, "ulp": 3}]})"));
}

}  // namespace
}  // namespace mneme::fuzz

int main(int count, char** arguments) {
  using namespace mneme::fuzz;
  demand(count == 3, "two arguments", "<examples> <seeds>");
  const fs::path seeds = arguments[2];
  fs::remove_all(seeds);
  for (const char* name : {"manifest", "recording", "import", "notes", "tolerance"}) fs::create_directories(seeds / name);
  recordings(arguments[1], seeds);
  notes(seeds / "notes");
  tolerances(seeds / "tolerance");
  writeFile(seeds / "recording" / "zeros", std::vector<std::byte>(64));
  return 0;
}
