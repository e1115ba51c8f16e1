// SPDX-License-Identifier: Apache-2.0
/// Manifests to canonical JSON; reading is in manifest_parse.cpp, side by side so that they cannot drift apart.
#include "format/manifest.h"

#include "format/json_fields.h"
#include "format/manifest_json.h"

namespace mneme::format {
namespace {

using nlohmann::json;

json dimensions(const Dim3& d) { return json::array({d.x, d.y, d.z}); }

json shapeJson(const LaunchShape& shape) {
  return {{"grid", dimensions(shape.grid)},
          {"block", dimensions(shape.block)},
          {"cluster", dimensions(shape.cluster)},
          {"dynamic_shared_bytes", shape.dynamicSharedBytes},
          {"cooperative", shape.cooperative}};
}

json regionJson(const Region& region) {
  return {{"address", toHexNumber(region.range.address)},
          {"size", region.range.size},
          {"kind", std::string(name(region.range.kind))},
          {"name", region.range.name},
          {"element", std::string(name(region.element))},
          {"changed", region.changed},
          {"changed_bytes", region.changedBytes}};
}

json regionsJson(const Manifest& m) {
  json listed = json::array();
  for (size_t i = 0; i < m.regions.size() && i < kMaxListedRegions; ++i) listed.push_back(regionJson(m.regions[i]));
  return {{"count", m.regions.size() + m.unlistedRegions}, {"listed", std::move(listed)}};
}

json tableJson(const TableReference& table) {
  return {{"pack", table.pack}, {"offset", table.offset}, {"size", table.size}, {"hash", toHex(table.hash)}};
}

json codeJson(const std::vector<CodeReference>& code) {
  json out = json::array();
  for (const auto& c : code) {
    out.push_back({{"kind", std::string(name(c.kind))},
                   {"file", c.file},
                   {"hash", toHex(c.hash)},
                   {"architecture", c.architecture},
                   {"source", c.source},
                   {"command", c.command}});
    if (!c.library.empty()) out.back()["library"] = c.library;
  }
  return out;
}

json parametersJson(const std::vector<ParameterSlot>& slots) {
  json out = json::array();
  for (const auto& slot : slots) out.push_back(json::array({slot.offset, slot.size}));
  return out;
}

json annotationsJson(const std::vector<Annotation>& annotations) {
  json out = json::array();
  for (const auto& a : annotations) {
    json line{{"buffer", a.buffer}, {"element", std::string(name(a.element))}};
    if (a.atol) line["atol"] = *a.atol;
    if (a.rtol) line["rtol"] = *a.rtol;
    if (a.ulp) line["ulp"] = *a.ulp;
    out.push_back(std::move(line));
  }
  return out;
}

json selfCheckJson(const std::map<std::string, SelfCheck>& checks) {
  json out = json::object();
  for (const auto& [kind, check] : checks)
    out[kind] = {{"result", std::string(name(check.result))},
                 {"absolute", numberOrText(check.absolute)},
                 {"relative", numberOrText(check.relative)},
                 {"ulp", check.ulp},
                 {"reason", check.reason}};
  return out;
}

json manifestJson(const Manifest& m) {
  json document{{"format", {{"major", kFormatMajor}, {"minor", kFormatMinor}}},
                {"kernel", {{"mangled", m.kernel}, {"demangled", m.demangled}, {"short_name", m.shortName}}},
                {"identity", {{"hash8", m.hash8}, {"tag", m.tag}, {"ordinal", m.ordinal}, {"rank", m.rank}}},
                {"shape", shapeJson(m.shape)},
                {"parameters", parametersJson(m.parameters)},
                {"arguments", toHexBytes(m.arguments)},
                {"attributes", {{"max_dynamic_shared_bytes", m.maxDynamicSharedBytes}, {"shared_carveout", m.sharedCarveout}}},
                {"limits", {{"stack", m.stackLimit}, {"printf", m.printfLimit}, {"malloc_heap", m.mallocHeapLimit}}},
                {"regions", regionsJson(m)},
                {"before", tableJson(m.before)},
                {"after", tableJson(m.after)},
                {"code", codeJson(m.code)},
                {"device", {{"backend", m.backend}, {"model", m.model}, {"architecture", m.architecture}, {"driver", m.driver}}},
                {"toolchain", m.toolchain},
                {"program", m.program},
                {"recorded_at", m.recordedAt},
                {"mneme_version", m.mnemeVersion},
                {"shared_writes", m.sharedWrites},
                {"kernel_nanoseconds", m.kernelNanoseconds},
                {"annotations", annotationsJson(m.annotations)},
                {"self_check", selfCheckJson(m.selfCheck)}};
  if (m.redaction != Redaction::None) document["redacted"] = std::string(name(m.redaction));
  return document;
}

/// With its own hash, over the canonical text without that hash.
std::string sealed(json document) {
  document.erase("manifest_hash");
  document["manifest_hash"] = toHex(hash128(canonicalText(document)));
  return canonicalText(document);
}

/// Everything that tells two recordings apart, one fact a line; content and addresses never.
std::string identityText(const Manifest& m) {
  auto d3 = [](const Dim3& d) { return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + "\n"; };
  return m.kernel + "\n" + d3(m.shape.grid) + d3(m.shape.block) + d3(m.shape.cluster) +
         std::to_string(m.shape.dynamicSharedBytes) + "\n" + (m.shape.cooperative ? "cooperative\n" : "\n") +
         std::to_string(m.ordinal) + "\n" + std::to_string(m.rank) + "\n" + m.tag;
}

}  // namespace

std::string toJson(const Manifest& manifest) { return sealed(manifestJson(manifest)); }

Expected<std::string> withTables(std::string_view manifestText, const TableReference& before, const TableReference& after) {
  auto document = parseJsonObject(manifestText, "manifest");
  if (!document) return std::move(document).error();
  (*document)["before"] = tableJson(before);
  (*document)["after"] = tableJson(after);
  return sealed(std::move(*document));
}

std::string identityHash(const Manifest& manifest) { return toHex(hash128(identityText(manifest))).substr(0, 8); }

std::string manifestFileName(const Manifest& manifest) { return manifest.shortName + "." + manifest.hash8 + ".json"; }

}  // namespace mneme::format
