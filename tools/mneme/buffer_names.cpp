// SPDX-License-Identifier: Apache-2.0
/// See buffer_names.h.
#include "buffer_names.h"

#include <functional>
#include <optional>

#include "base/file.h"
#include "base/printable.h"
#include "format/recording_set.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;
using format::Manifest;
using format::Tolerance;

/// The recorded spelling of a buffer's name; nullopt if no buffer has it.
std::optional<std::string> spelling(const Manifest& manifest, const std::string& name) {
  for (const auto& region : manifest.regions)
    if (!region.range.name.empty() && (region.range.name == name || format::demangle(region.range.name) == name))
      return region.range.name;
  return std::nullopt;
}

/// Manifests beside `path` that count, one after another until `visit` answers true.
bool anyBeside(const fs::path& path, const std::function<bool(const Manifest&)>& visit) {
  auto manifests = format::listManifests(path.has_parent_path() ? path.parent_path() : fs::path("."));
  if (!manifests) return false;
  for (const auto& other : *manifests) {
    auto text = readText(other);
    auto manifest = format::parseManifest(text ? *text : "", other.string());
    if (manifest && visit(*manifest)) return true;
  }
  return false;
}

void addNames(const Manifest& manifest, std::set<std::string>& names, bool& unnamed) {
  for (const auto& region : manifest.regions) {
    if (region.range.name.empty()) unnamed = true;
    else names.insert(format::demangle(region.range.name));
  }
}

Error unknownBuffer(const std::string& name, const std::string& whose, const std::set<std::string>& names, bool unnamed) {
  std::string text = "no buffer of " + whose + " is named '" + name + "'; ";
  std::string list;
  for (const auto& each : names) list += (list.empty() ? "" : ", ") + each;
  if (!list.empty()) text += "there are: " + list + (unnamed ? "; " : "");
  if (unnamed) text += (list.empty() ? "they have no names" : "others have no name") + std::string(" (mneme::annotate gives one)");
  return Error(ErrorCode::InvalidArgument, printable(text + "; without a name, a tolerance holds for all"));
}

Expected<std::vector<Tolerance>> resolve(std::vector<Tolerance> tolerances, const Manifest& manifest, const fs::path& path,
                                         const std::string& onlyKernel, const std::string& whose) {
  auto counts = [&](const Manifest& other) { return onlyKernel.empty() || other.kernel == onlyKernel; };
  for (auto& tolerance : tolerances) {
    if (!tolerance.buffer) continue;
    auto found = spelling(manifest, *tolerance.buffer);
    const auto wanted = *tolerance.buffer;
    if (!found)
      anyBeside(path, [&](const Manifest& other) { return counts(other) && (found = spelling(other, wanted)).has_value(); });
    if (found) {
      tolerance.buffer = *found;
      continue;
    }
    std::set<std::string> names;
    bool unnamed = false;
    addNames(manifest, names, unnamed);
    auto addOthers = [&](const Manifest& other) {
      if (other.kernel == onlyKernel) addNames(other, names, unnamed);
      return false;
    };
    if (!onlyKernel.empty()) anyBeside(path, addOthers);
    return unknownBuffer(wanted, whose, names, unnamed);
  }
  return tolerances;
}

}  // namespace

Expected<std::vector<Tolerance>> resolveBuffers(std::vector<Tolerance> tolerances, const Manifest& manifest, const fs::path& path) {
  return resolve(std::move(tolerances), manifest, path, "", path.stem().string());
}

Expected<std::vector<Tolerance>> resolveKernelBuffers(std::vector<Tolerance> tolerances, const Manifest& manifest, const fs::path& path) {
  return resolve(std::move(tolerances), manifest, path, manifest.kernel, manifest.demangled);
}

}  // namespace mneme::cli
