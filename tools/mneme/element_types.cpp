// SPDX-License-Identifier: Apache-2.0
/// See element_types.h. mneme-bitcode looks into the code, so that no LLVM is loaded here.
#include "element_types.h"

#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "code/process.h"
#include "own_files.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;
using format::ElementType;

/// What pointers into one region lead to.
struct Seen {
  std::set<ElementType> stored, loaded;
  [[nodiscard]] ElementType agreed() const {
    const auto& types = stored.empty() ? loaded : stored;
    return types.size() == 1 ? *types.begin() : ElementType::Bytes;
  }
};

using SeenByRegion = std::map<size_t, Seen>;

std::optional<uint64_t> pointerAt(const format::Manifest& manifest, size_t parameter, uint64_t offset) {
  uint64_t value = 0;
  if (parameter >= manifest.parameters.size()) return std::nullopt;
  const auto& slot = manifest.parameters[parameter];
  if (offset > slot.size || slot.size - offset < sizeof value || slot.offset + offset + sizeof value > manifest.arguments.size())
    return std::nullopt;
  std::memcpy(&value, manifest.arguments.data() + slot.offset + offset, sizeof value);
  return value;
}

/// Elements that do not start on a multiple of their size from the region's start cannot be compared as such.
void addPointee(const format::Manifest& manifest, uint64_t pointer, bool stored, ElementType type, SeenByRegion& seen) {
  for (size_t i = 0; i < manifest.regions.size(); ++i) {
    const auto& range = manifest.regions[i].range;
    if (pointer < range.address || pointer - range.address >= range.size) continue;
    if ((pointer - range.address) % format::sizeOf(type) != 0) type = ElementType::Bytes;
    (stored ? seen[i].stored : seen[i].loaded).insert(type);
  }
}

void addVariable(const format::Manifest& manifest, const std::string& name, ElementType type, SeenByRegion& seen) {
  for (size_t i = 0; i < manifest.regions.size(); ++i) {
    const auto& range = manifest.regions[i].range;
    bool variable = range.kind == MemoryKind::Global || range.kind == MemoryKind::Constant;
    if (variable && range.name == name) seen[i].stored.insert(type);
  }
}

void takeLine(const format::Manifest& manifest, const std::string& line, SeenByRegion& seen) {
  std::istringstream words(line);
  std::string word, type, name;
  size_t parameter = 0;
  uint64_t offset = 0;
  if (!(words >> word)) return;
  if (word == "variable") {
    auto known = words >> type >> name ? format::elementTypeFromName(type) : std::nullopt;
    if (known) addVariable(manifest, name, *known, seen);
    return;
  }
  auto known = words >> parameter >> offset >> type ? format::elementTypeFromName(type) : std::nullopt;
  if (!known || (word != "stored" && word != "loaded")) return;
  if (auto pointer = pointerAt(manifest, parameter, offset)) addPointee(manifest, *pointer, word == "stored", *known, seen);
}

}  // namespace

void applyElementTypes(format::Manifest& manifest, std::string_view answer) {
  SeenByRegion seen;
  std::istringstream lines{std::string(answer)};
  for (std::string line; std::getline(lines, line);) takeLine(manifest, line, seen);
  for (const auto& [index, what] : seen) {
    auto& region = manifest.regions[index];
    if (region.element == ElementType::Bytes) region.element = what.agreed();
  }
}

Expected<void> setElementTypes(format::Manifest& manifest, const fs::path& set) {
  for (const auto& reference : manifest.code) {
    if (reference.kind != CodeKind::Llvm) continue;
    auto answer = code::runTool({helperFile("mneme-bitcode").string(), "elements", (set / "code" / reference.file).string(), manifest.kernel});
    if (!answer) return std::move(answer).error().context("element types are unknown");
    if (answer->exitCode == 0) applyElementTypes(manifest, answer->output);
  }
  return {};
}

}  // namespace mneme::cli
