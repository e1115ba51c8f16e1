// SPDX-License-Identifier: Apache-2.0
/// Hostile ELF files, static libraries and notes: whatever is opened is read to its last byte of code.
#include <cstdint>

#include "code/elf_file.h"
#include "code/notes.h"
#include "fuzz.h"

namespace mneme::fuzz {
namespace {

constexpr std::initializer_list<ErrorCode> kRefusals{ErrorCode::InvalidArgument, ErrorCode::Unsupported,
                                                     ErrorCode::NotFound, ErrorCode::Io};

void open(const fs::path& file) {
  auto archive = code::NoteArchive::open(file);
  if (!archive) return demandClear(archive.error(), kRefusals);
  for (const auto& note : archive->notes()) {
    auto code = archive->code(note);
    if (!code) demandClear(code.error(), kRefusals);
    else demand(hash128(std::span<const std::byte>(*code)) == note.hash, "code with another hash");
  }
}

void libraries(std::span<const std::byte> bytes) {
  auto info = code::dynamicInfo(bytes);
  if (!info) demandClear(info.error(), kRefusals);
}

}  // namespace
}  // namespace mneme::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mneme;
  static fuzz::Scratch scratch;
  const auto bytes = std::as_bytes(std::span(data, size));
  fuzz::writeFile(scratch / "binary", bytes);
  fuzz::open(scratch / "binary");
  fuzz::libraries(bytes);
  return 0;
}
