// SPDX-License-Identifier: Apache-2.0
/// See code_origins.h.
#include "code_origins.h"

#include <algorithm>

#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;

const code::Note* findNote(const std::vector<code::Note>& notes, const format::CodeReference& reference) {
  auto found = std::find_if(notes.begin(), notes.end(), [&](const code::Note& note) {
    return note.kind == reference.kind && note.hash == reference.hash;
  });
  return found == notes.end() ? nullptr : &*found;
}

/// Every occurrence of "<root>/" goes, also in the middle of a word: -I/home/me/heat/include becomes -Iinclude.
std::string withoutRoots(std::string text, const std::vector<fs::path>& roots) {
  for (const auto& root : roots) {
    const auto prefix = root.string() + "/";
    for (size_t at = 0; prefix.size() > 2 && (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
  }
  return text;
}

std::string commandText(const std::vector<std::string>& command, const std::vector<fs::path>& roots) {
  std::string text;
  for (const auto& word : command) text += (text.empty() ? "" : " ") + shellQuoted(withoutRoots(word, roots));
  return text;
}

std::string sourceText(const code::Note& note, const std::vector<fs::path>& roots) {
  return withoutRoots((fs::path(note.directory) / note.source).lexically_normal().string(), roots);
}

}  // namespace

CodeOrigins::CodeOrigins(const std::vector<fs::path>& binaries) {
  for (const auto& binary : binaries) {
    auto archive = code::NoteArchive::openWithLibraries(binary);
    if (archive) notes_.insert(notes_.end(), archive->notes().begin(), archive->notes().end());
  }
}

void CodeOrigins::describe(format::Manifest& manifest, const std::vector<fs::path>& roots) const {
  for (auto& reference : manifest.code) {
    const auto* note = findNote(notes_, reference);
    if (!note) continue;
    reference.source = sourceText(*note, roots);
    reference.command = commandText(note->command, roots);
    reference.architecture = note->architecture;
    if (manifest.toolchain.empty()) manifest.toolchain = note->compiler;
  }
}

fs::path programOf(const format::Manifest& manifest) {
  const auto& line = manifest.program;
  if (line.starts_with('\'')) return line.substr(1, line.find('\'', 1) - 1);
  return line.substr(0, line.find(' '));
}

}  // namespace mneme::cli
