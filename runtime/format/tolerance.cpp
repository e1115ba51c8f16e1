// SPDX-License-Identifier: Apache-2.0
/// Tolerance specifications and tolerance.json; see tolerance.h.
#include "format/tolerance.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <tuple>

#include "base/file.h"
#include "base/printable.h"
#include "format/json_fields.h"
#include "format/manifest.h"
#include "format/set_files.h"

namespace mneme::format {
namespace {

Error badSpecification(std::string_view specification, const std::string& what) {
  return {ErrorCode::InvalidArgument, printable("tolerance '" + std::string(specification) + "': " + what) +
                                          "; the form is [buffer:]atol=1e-6,rtol=1e-5,ulp=4, at least one of the three"};
}

/// Whole text or nothing; independent of the locale.
template <typename Number>
std::optional<Number> parseNumber(std::string_view text) {
  Number value{};
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool isLimit(double value) { return std::isfinite(value) && value >= 0; }

/// Sets the field that `name` says; the text of what is wrong, or empty.
std::string setField(Tolerance& tolerance, std::string_view name, std::string_view value) {
  if (name == "ulp") {
    if (tolerance.ulp) return "ulp is given twice";
    tolerance.ulp = parseNumber<uint64_t>(value);
    return tolerance.ulp ? "" : "ulp is not an unsigned integer";
  }
  if (name != "atol" && name != "rtol") return "unknown field '" + std::string(name) + "'";
  auto& field = name == "atol" ? tolerance.atol : tolerance.rtol;
  if (field) return std::string(name) + " is given twice";
  field = parseNumber<double>(value);
  return field && isLimit(*field) ? "" : std::string(name) + " is not a number of zero or more";
}

std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// Each holder writes one small file; many at once still come through.
constexpr auto kUpdatePatience = std::chrono::seconds(30);

auto key(const ToleranceEntry& entry) { return std::tie(entry.kernel, entry.tolerance.buffer); }

}  // namespace

Expected<Tolerance> parseTolerance(std::string_view specification) {
  Tolerance tolerance;
  auto fields = specification;
  auto colon = fields.substr(0, fields.find('=')).rfind(':');
  if (colon != std::string_view::npos) {
    if (colon == 0) return badSpecification(specification, "the buffer's name is empty");
    tolerance.buffer = std::string(fields.substr(0, colon));
    fields.remove_prefix(colon + 1);
  }
  while (true) {
    auto field = fields.substr(0, fields.find(','));
    auto equals = field.find('=');
    if (equals == std::string_view::npos) return badSpecification(specification, "'" + std::string(field) + "' has no '='");
    auto problem = setField(tolerance, field.substr(0, equals), field.substr(equals + 1));
    if (!problem.empty()) return badSpecification(specification, problem);
    if (field.size() == fields.size()) return tolerance;
    fields.remove_prefix(field.size() + 1);
  }
}

std::string toText(const Tolerance& tolerance) {
  std::string fields;
  auto add = [&](const char* name, const std::string& value) { fields += (fields.empty() ? "" : ",") + std::string(name) + "=" + value; };
  if (tolerance.atol) add("atol", shortest(*tolerance.atol));
  if (tolerance.rtol) add("rtol", shortest(*tolerance.rtol));
  if (tolerance.ulp) add("ulp", std::to_string(*tolerance.ulp));
  return (tolerance.buffer ? *tolerance.buffer + ":" : "") + fields;
}

Expected<ToleranceFile> ToleranceFile::load(const std::filesystem::path& set) {
  auto path = set / "tolerance.json";
  auto text = readText(path);
  if (!text && text.error().code() == ErrorCode::NotFound) return ToleranceFile();
  if (!text) return std::move(text).error();
  return parse(*text, path.string());
}

Expected<ToleranceFile> ToleranceFile::parse(std::string_view json, const std::string& origin) {
  auto document = parseJsonObject(json, origin);
  if (!document) return std::move(document).error();
  if (auto readable = checkVersion(*document, origin); !readable) return std::move(readable).error();
  std::optional<std::string> problem;
  ToleranceFile file;
  for (const auto& fields : JsonFields(*document, problem, "").objects("tolerances")) {
    Tolerance tolerance{fields.optionalNumber("atol"), fields.optionalNumber("rtol"), fields.optionalUnsigned("ulp"),
                        fields.optionalText("buffer")};
    if (!isLimit(tolerance.atol.value_or(0)) || !isLimit(tolerance.rtol.value_or(0)))
      fields.wrong("", "atol and rtol are numbers of zero or more");
    if (!tolerance.atol && !tolerance.rtol && !tolerance.ulp) fields.wrong("", "has none of atol, rtol, ulp");
    file.entries_.push_back({fields.text("kernel"), std::move(tolerance)});
  }
  file.sort();
  if (problem) return Error(ErrorCode::CorruptRecording, origin + ": " + *problem);
  return file;
}

const Tolerance* ToleranceFile::find(std::string_view kernel, std::string_view buffer) const {
  const Tolerance* general = nullptr;
  for (const auto& entry : entries_) {
    if (entry.kernel != kernel) continue;
    if (!entry.tolerance.buffer) general = &entry.tolerance;
    else if (*entry.tolerance.buffer == buffer) return &entry.tolerance;
  }
  return general;
}

const Tolerance* ToleranceFile::findExactly(const std::string& kernel, const std::optional<std::string>& buffer) const {
  for (const auto& entry : entries_)
    if (entry.kernel == kernel && entry.tolerance.buffer == buffer) return &entry.tolerance;
  return nullptr;
}

/// By key; of entries of one key the last one stays, as if they had been set one after another.
void ToleranceFile::sort() {
  auto less = [](const auto& a, const auto& b) { return key(a) < key(b); };
  std::stable_sort(entries_.begin(), entries_.end(), less);
  auto last = std::unique(entries_.rbegin(), entries_.rend(), [](const auto& a, const auto& b) { return key(a) == key(b); });
  entries_.erase(entries_.begin(), last.base());
}

void ToleranceFile::set(const std::string& kernel, const Tolerance& tolerance) {
  ToleranceEntry entry{kernel, tolerance};
  auto place = std::lower_bound(entries_.begin(), entries_.end(), entry,
                                [](const auto& a, const auto& b) { return key(a) < key(b); });
  if (place != entries_.end() && key(*place) == key(entry)) *place = entry;
  else entries_.insert(place, entry);
}

std::string ToleranceFile::toJson() const {
  nlohmann::json document;
  document["format"] = {{"major", kFormatMajor}, {"minor", kFormatMinor}};
  auto& list = document["tolerances"] = nlohmann::json::array();
  for (const auto& [kernel, tolerance] : entries_) {
    nlohmann::json line{{"kernel", kernel}};
    if (tolerance.buffer) line["buffer"] = *tolerance.buffer;
    if (tolerance.atol) line["atol"] = *tolerance.atol;
    if (tolerance.rtol) line["rtol"] = *tolerance.rtol;
    if (tolerance.ulp) line["ulp"] = *tolerance.ulp;
    list.push_back(std::move(line));
  }
  return canonicalText(document);
}

Expected<void> updateTolerances(const std::filesystem::path& set, const std::function<Expected<void>(ToleranceFile&)>& change) {
  SetLock exclusive(set, SetLock::Mode::Exclusive, kUpdatePatience);
  if (exclusive.busy()) return Error(ErrorCode::Io, set.string() + ": is locked by another process; try again");
  auto file = ToleranceFile::load(set);
  if (!file) return std::move(file).error();
  if (auto changed = change(*file); !changed) return changed;
  return writeAtomically(set / "tolerance.json", file->toJson());
}

Expected<void> mergeTolerances(ToleranceFile& file, std::span<const ToleranceEntry> entries, const std::string& origin,
                               OnConflict onConflict) {
  for (const auto& [kernel, tolerance] : entries) {
    const auto* present = file.findExactly(kernel, tolerance.buffer);
    bool conflict = present && *present != tolerance;
    if (conflict && onConflict == OnConflict::Refuse)
      return Error(ErrorCode::InvalidArgument, printable("the tolerances of " + demangle(kernel) + " differ: " + toText(*present) +
                                                         " so far, " + toText(tolerance) + " in " + origin));
    if (!conflict || onConflict == OnConflict::Take) file.set(kernel, tolerance);
  }
  return {};
}

}  // namespace mneme::format
