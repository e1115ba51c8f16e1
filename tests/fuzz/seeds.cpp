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

void spaces(const fs::path& seeds) {
  writeFile(seeds / "space", asBytes(R"x({"mneme_space": 1, "parameters": {"a": {"powers": [1, 64], "default": 8}, "b": {"range": [1, 9], "step": 2, "when": "a > 2"}, "c": ["x", "y"]}, "constraints": ["a * b <= 128 or c == 'y'"], "shape": {"rule": "expressions", "block": ["a", "b"], "grid": ["ceil_div(recorded.threads.x, a)"], "shared": "4 * a"}, "knobs": {"unroll": "b"}, "macros": {"A": "a"}})x"));
  writeFile(seeds / "expression", asBytes("1 <= a ** 2 // 3 % 5 << 1 if not b in [1, 'w'] else min(a, 0x10) | -2.5e1"));
  writeFile(seeds / "cache", asBytes(R"({"tune_params_keys": ["x"], "cache": {"1": {"x": 1, "time": 2.5, "times": [2, 3]}, "2": {"x": 2, "time": "failed"}}})"));
  writeFile(seeds / "t4", asBytes(R"({"results": [{"configuration": {"x": 1}, "times": {"runtimes": [1]}, "invalidity": "correct", "measurements": [{"name": "time", "value": 1}], "objectives": ["time"]}]})"));
  writeFile(seeds / "gzip", asBytes(std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\xae\x05\0\x43\xbf\xa6\xa3\x02\0\0\0", 22)));
  writeFile(seeds / "trial", asBytes(R"({"at": "t", "candidate": {"block": [1, 1, 1], "grid": [1, 1, 1], "knobs": {}, "macros": {}, "shared": 0}, "configuration": {"x": 1}, "context": "c", "device": "d", "result": {"samples_ns": [1], "time_ns": 1}})"));
}

}  // namespace
}  // namespace mneme::fuzz

int main(int count, char** arguments) {
  using namespace mneme::fuzz;
  demand(count == 3, "two arguments", "<examples> <seeds>");
  const fs::path seeds = arguments[2];
  fs::remove_all(seeds);
  for (const char* name : {"manifest", "recording", "import", "notes", "tolerance", "space"}) fs::create_directories(seeds / name);
  recordings(arguments[1], seeds);
  notes(seeds / "notes");
  tolerances(seeds / "tolerance");
  spaces(seeds / "space");
  writeFile(seeds / "recording" / "zeros", std::vector<std::byte>(64));
  return 0;
}
