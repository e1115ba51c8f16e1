// SPDX-License-Identifier: Apache-2.0
/// See code_origins.h.
#include "code_origins.h"

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "replay/code_selection.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;

struct Found {
  const code::NoteArchive* archive = nullptr;
  const code::Note* note = nullptr;
};

template <typename Fits>
Found findNote(const std::vector<code::NoteArchive>& archives, const Fits& fits) {
  for (const auto& archive : archives)
    for (const auto& note : archive.notes())
      if (fits(note)) return {&archive, &note};
  return {};
}

/// By its name, or by another compiler's spelling of it if only one note has that.
Found findKernel(const std::vector<code::NoteArchive>& archives, CodeKind kind, const std::string& kernel) {
  std::vector<Found> similar;
  for (const auto& archive : archives)
    for (const auto& note : archive.notes())
      for (const auto& candidate : note.kernels) {
        if (note.kind != kind) break;
        if (candidate == kernel) return {&archive, &note};
        if (replay::matchNames(kernel, candidate) <= replay::NameMatch::Signature) similar.push_back({&archive, &note});
      }
  return similar.size() == 1 ? similar.front() : Found{};
}

Expected<format::CodeReference> storeCode(const Found& found, const fs::path& set) {
  auto bytes = found.archive->code(*found.note);
  if (!bytes) return std::move(bytes).error();
  format::CodeReference reference;
  reference.kind = found.note->kind;
  reference.hash = hash128(*bytes);
  reference.file = toHex(reference.hash) + (reference.kind == CodeKind::Llvm ? ".bc" : ".ptx");
  const auto path = set / "code" / reference.file;
  std::error_code ignored;
  if (fs::exists(path, ignored)) return reference;
  if (auto written = writeAtomically(path, *bytes); !written) return std::move(written).error();
  return reference;
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
    if (archive) archives_.push_back(std::move(*archive));
  }
}

void CodeOrigins::describe(format::Manifest& manifest, const std::vector<fs::path>& roots) const {
  for (auto& reference : manifest.code) {
    const auto* note = findNote(archives_, [&](const code::Note& candidate) {
                         return candidate.kind == reference.kind && candidate.hash == reference.hash;
                       }).note;
    if (!note) continue;
    reference.source = sourceText(*note, roots);
    reference.command = commandText(note->command, roots);
    reference.architecture = note->architecture;
    if (manifest.toolchain.empty()) manifest.toolchain = note->compiler;
  }
}

Expected<void> CodeOrigins::addNotedCode(format::Manifest& manifest, const fs::path& set) const {
  for (const auto kind : {CodeKind::Ptx, CodeKind::Llvm}) {
    const auto isThere = [&](const format::CodeReference& reference) { return reference.kind == kind; };
    if (std::any_of(manifest.code.begin(), manifest.code.end(), isThere)) continue;
    const auto found = findKernel(archives_, kind, manifest.kernel);
    if (!found.note) continue;
    auto reference = storeCode(found, set);
    if (!reference) return std::move(reference).error().context("keeping the kernel's " + std::string(name(kind)) + " code");
    manifest.code.push_back(std::move(*reference));
  }
  return {};
}

fs::path programOf(const format::Manifest& manifest) {
  const auto& line = manifest.program;
  if (line.starts_with('\'')) return line.substr(1, line.find('\'', 1) - 1);
  return line.substr(0, line.find(' '));
}

}  // namespace mneme::cli
