// SPDX-License-Identifier: Apache-2.0
#include "replay/binary_code.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string_view>

#include "base/file.h"
#include "base/log.h"
#include "code/elf_file.h"
#include "code/fatbin.h"
#include "code/library_search.h"

namespace mneme::replay {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

bool isRelocatable(const code::Note& note) {
  static constexpr std::array<std::string_view, 5> kOptions{"-fgpu-rdc", "-rdc=true", "--relocatable-device-code=true",
                                                            "-dc", "--device-c"};
  const auto any = [](const std::vector<std::string>& words) {
    return std::find_first_of(words.begin(), words.end(), kOptions.begin(), kOptions.end()) != words.end();
  };
  return any(note.command) || any(note.deviceCommand);
}

/// The loadable entries of one file.
Expected<std::vector<CodePiece>> packedIn(const std::filesystem::path& file, const std::string& architecture) {
  auto opened = code::FatBinaries::open(file, architecture);
  if (!opened) return std::move(opened).error();
  auto binaries = std::make_shared<code::FatBinaries>(std::move(*opened));
  std::vector<CodePiece> pieces;
  for (const auto& entry : binaries->entries()) {
    if (!entry.unreadable.empty())
      logOnce(LogLevel::Warn, file.string() + ": " + entry.architecture + ": " + entry.unreadable);
    if (!entry.unreadable.empty() || entry.relocatable) continue;
    CodePiece piece;
    piece.kind = entry.kind;
    piece.architecture = entry.architecture;
    piece.kernels = entry.kernels;
    piece.binary = file;
    piece.bytes = [binaries, &entry] { return binaries->code(entry); };
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

bool isElfFile(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  return file && code::isElf(file->bytes());
}

}  // namespace

Expected<std::vector<CodePiece>> notedCode(const std::filesystem::path& binary) {
  auto opened = code::NoteArchive::openWithLibraries(binary);
  if (!opened) return std::move(opened).error();
  auto archive = std::make_shared<code::NoteArchive>(std::move(*opened));
  std::vector<CodePiece> pieces;
  for (const auto& note : archive->notes())
    pieces.push_back({note.kind, note.architecture, note.kernels, note.source, note.directory, note.compiler,
                      joined(note.command), note.binary, [archive, &note] { return archive->code(note); }, isRelocatable(note)});
  return pieces;
}

Expected<std::vector<CodePiece>> packedCode(const std::filesystem::path& binary, const std::string& architecture,
                                            const std::function<bool(const std::string&)>& wanted) {
  if (!isElfFile(binary)) return std::vector<CodePiece>{};  // a static library: notes only
  const auto files = code::withLibraries(binary);
  if (!files) return files.error();
  std::vector<CodePiece> all;
  for (const auto& file : *files) {
    auto pieces = packedIn(file, architecture);
    if (!pieces && file == files->front()) return pieces;
    if (!pieces) {
      log(LogLevel::Info, "no device code is looked for in it: " + pieces.error().message());
      continue;
    }
    const auto defines = [&](const CodePiece& piece) { return std::ranges::any_of(piece.kernels, wanted); };
    if (std::ranges::any_of(*pieces, defines)) return pieces;
    std::ranges::move(*pieces, std::back_inserter(all));
  }
  return all;
}

}  // namespace mneme::replay
