// SPDX-License-Identifier: Apache-2.0
/// Canonical JSON back to manifests; every field is checked, unknown ones of newer minor versions are left alone.
#include <algorithm>
#include <cmath>
#include <limits>

#include "format/json_fields.h"
#include "format/layout.h"
#include "format/manifest.h"
#include "format/manifest_json.h"
#include "format/table.h"

namespace mneme::format {
namespace {

constexpr uint64_t kMaxParameters = 4096;
constexpr uint64_t kMaxArgumentBytes = 1 << 20;

Dim3 readDimensions(const JsonFields& fields, const char* key) {
  auto numbers = fields.unsignedNumbers(key);
  bool good = numbers.size() == 3;
  for (auto n : numbers) good = good && n > 0 && n <= UINT32_MAX;
  if (good) return {static_cast<uint32_t>(numbers[0]), static_cast<uint32_t>(numbers[1]), static_cast<uint32_t>(numbers[2])};
  fields.wrong(key, "not three sizes");
  return {};
}

LaunchShape readShape(const JsonFields& fields) {
  return {readDimensions(fields, "grid"), readDimensions(fields, "block"), fields.unsignedNumber("dynamic_shared_bytes"),
          fields.flag("cooperative"), readDimensions(fields, "cluster")};
}

/// A text that one of the *FromName functions knows.
template <typename Value>
Value readName(const JsonFields& fields, const char* key, std::optional<Value> (*fromName)(std::string_view)) {
  auto text = fields.text(key);
  auto value = fromName(text);
  if (!value) fields.wrong(key, "'" + text.substr(0, 40) + "' is not a known value");
  return value.value_or(Value{});
}

Hash128 readHash(const JsonFields& fields, const char* key) { return readName<Hash128>(fields, key, hashFromHex); }

Region readRegion(const JsonFields& fields) {
  Region region;
  region.range.address = readName<uint64_t>(fields, "address", fromHexNumber);
  region.range.size = fields.unsignedNumber("size", kMaxRegionBytes);
  region.range.kind = readName<MemoryKind>(fields, "kind", memoryKindFromName);
  region.range.name = fields.text("name");
  region.element = readName<ElementType>(fields, "element", elementTypeFromName);
  region.changed = fields.flag("changed");
  region.changedBytes = fields.unsignedNumber("changed_bytes", kMaxRegionBytes);
  return region;
}

void readRegions(const JsonFields& fields, Manifest& out) {
  uint64_t count = fields.unsignedNumber("count", uint64_t{1} << 32);
  for (const auto& region : fields.objects("listed")) out.regions.push_back(readRegion(region));
  if (out.regions.size() != std::min<uint64_t>(count, kMaxListedRegions)) return fields.wrong("count", "does not fit the list");
  out.unlistedRegions = count - out.regions.size();
}

TableReference readTable(const JsonFields& fields) {
  TableReference table{fields.text("pack"), fields.unsignedNumber("offset"), fields.unsignedNumber("size"),
                       readHash(fields, "hash")};
  if (!isPackName(table.pack)) fields.wrong("pack", "not a pack's name");
  return table;
}

bool isRelativePath(const std::string& path) {
  return !path.starts_with('/') && std::none_of(path.begin(), path.end(), [](unsigned char c) { return c < ' ' || c == 127; });
}

CodeReference readCode(const JsonFields& fields) {
  CodeReference code{readName<CodeKind>(fields, "kind", codeKindFromName), fields.text("file"), readHash(fields, "hash"),
                     fields.text("architecture"), fields.text("source"), fields.text("command"), fields.optionalText("library").value_or("")};
  if (!isRelativePath(code.library)) fields.wrong("library", "not a relative path");
  if (!isCodeFileName(code.file)) fields.wrong("file", "not a code file's name");
  return code;
}

void readParameters(const nlohmann::json& document, const JsonFields& root, Manifest& out) {
  const auto* list = document.contains("parameters") ? &document["parameters"] : nullptr;
  if (!list || !list->is_array() || list->size() > kMaxParameters) return root.wrong("parameters", "not a list of slots");
  for (const auto& slot : *list) {
    bool good = slot.is_array() && slot.size() == 2 && slot[0].is_number_unsigned() && slot[1].is_number_unsigned();
    uint64_t offset = good ? slot[0].get<uint64_t>() : 0, size = good ? slot[1].get<uint64_t>() : 0;
    uint64_t limit = out.arguments.size();
    if (!good || offset > limit || size > limit - offset)
      return root.wrong("parameters", "not [offset, size] inside the arguments");
    out.parameters.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size)});
  }
}

void readArguments(const JsonFields& root, Manifest& out) {
  auto bytes = fromHexBytes(root.text("arguments"));
  if (!bytes || bytes->size() > kMaxArgumentBytes) return root.wrong("arguments", "not hexadecimal bytes");
  out.arguments = std::move(*bytes);
}

Annotation readAnnotation(const JsonFields& fields) {
  return {fields.text("buffer"), readName<ElementType>(fields, "element", elementTypeFromName), fields.optionalNumber("atol"),
          fields.optionalNumber("rtol"), fields.optionalUnsigned("ulp")};
}

SelfCheck readSelfCheck(const JsonFields& fields) {
  return {readName<SelfCheck::Result>(fields, "result", selfCheckResultFromName), fields.numberOrText("absolute"),
          fields.numberOrText("relative"), fields.unsignedNumber("ulp"), fields.text("reason")};
}

void readIdentity(const JsonFields& root, Manifest& out) {
  auto kernel = root.object("kernel");
  out.kernel = kernel.lineOfText("mangled");
  out.demangled = kernel.lineOfText("demangled");
  out.shortName = kernel.text("short_name");
  auto identity = root.object("identity");
  out.hash8 = identity.text("hash8");
  out.tag = identity.text("tag");
  out.ordinal = identity.unsignedNumber("ordinal");
  out.rank = static_cast<uint32_t>(identity.unsignedNumber("rank", UINT32_MAX));
  out.shape = readShape(root.object("shape"));
  if (!isShortName(out.shortName)) kernel.wrong("short_name", "not [A-Za-z0-9_], 1 to 48 characters");
  if (identityHash(out) != out.hash8) identity.wrong("hash8", "does not fit kernel, shape, ordinal, rank and tag");
}

void readLimits(const JsonFields& root, Manifest& out) {
  auto attributes = root.object("attributes");
  out.maxDynamicSharedBytes = attributes.signedNumber("max_dynamic_shared_bytes");
  out.sharedCarveout = attributes.signedNumber("shared_carveout");
  auto limits = root.object("limits");
  out.stackLimit = limits.signedNumber("stack");
  out.printfLimit = limits.signedNumber("printf");
  out.mallocHeapLimit = limits.signedNumber("malloc_heap");
}

void readOrigin(const JsonFields& root, Manifest& out) {
  auto device = root.object("device");
  out.backend = device.text("backend");
  out.model = device.text("model");
  out.architecture = device.text("architecture");
  out.driver = device.text("driver");
  out.toolchain = root.text("toolchain");
  out.program = root.text("program");
  out.recordedAt = root.text("recorded_at");
  out.mnemeVersion = root.text("mneme_version");
  out.sharedWrites = root.flag("shared_writes");
  out.kernelNanoseconds = root.unsignedNumber("kernel_nanoseconds");
  if (auto redacted = root.optionalText("redacted")) {
    auto redaction = redactionFromName(*redacted);
    if (!redaction) root.wrong("redacted", "not memory or inputs");
    out.redaction = redaction.value_or(Redaction::None);
  }
}

Expected<void> checkHash(nlohmann::json document, const std::string& origin) {
  auto stored = document.find("manifest_hash");
  if (stored == document.end() || !stored->is_string())
    return Error(ErrorCode::CorruptRecording, origin + ": manifest_hash: missing");
  auto hash = hashFromHex(stored->get_ref<const std::string&>());
  document.erase(stored);
  if (hash && *hash == hash128(canonicalText(document))) return {};
  return Error(ErrorCode::CorruptRecording, origin + ": its content does not fit its manifest_hash (edited or damaged)");
}

Manifest readManifest(const nlohmann::json& document, std::optional<std::string>& problem) {
  JsonFields root(document, problem, "");
  Manifest out;
  out.formatMinor = static_cast<uint32_t>(root.object("format").unsignedNumber("minor", UINT32_MAX));
  readIdentity(root, out);
  readArguments(root, out);
  readParameters(document, root, out);
  readLimits(root, out);
  readRegions(root.object("regions"), out);
  out.before = readTable(root.object("before"));
  out.after = readTable(root.object("after"));
  for (const auto& code : root.objects("code")) out.code.push_back(readCode(code));
  readOrigin(root, out);
  for (const auto& annotation : root.objects("annotations")) out.annotations.push_back(readAnnotation(annotation));
  for (const auto& [kind, check] : root.object("self_check").members()) {
    if (!codeKindFromName(kind)) root.wrong("self_check", "'" + kind.substr(0, 40) + "' is not a kind of code");
    out.selfCheck[kind] = readSelfCheck(check);
  }
  return out;
}

}  // namespace

Expected<Manifest> parseManifest(std::string_view json, const std::string& origin) {
  auto document = parseJsonObject(json, origin);
  if (!document) return std::move(document).error();
  if (auto readable = checkVersion(*document, origin); !readable) return std::move(readable).error();
  if (auto whole = checkHash(*document, origin); !whole) return std::move(whole).error();
  std::optional<std::string> problem;
  auto manifest = readManifest(*document, problem);
  if (problem) return Error(ErrorCode::CorruptRecording, origin + ": " + *problem);
  return manifest;
}

}  // namespace mneme::format
