// SPDX-License-Identifier: Apache-2.0
/// Checked access to JSON; see json_fields.h.
#include "format/json_fields.h"

#include <limits>

#include "base/printable.h"
#include "format/lfs.h"
#include "format/manifest.h"
#include "mneme/version.h"

namespace mneme::format {
namespace {
const nlohmann::json kEmptyObject = nlohmann::json::object();
constexpr int kMaxDepth = 16;
}  // namespace

void JsonFields::wrong(const std::string& key, const std::string& what) const {
  if (!problem_) problem_ = printable(path_ + (path_.empty() || key.empty() ? "" : ".") + key + ": " + what);
}

bool JsonFields::has(const char* key) const { return value_.is_object() && value_.contains(key); }

const nlohmann::json* JsonFields::find(const char* key) const {
  if (has(key)) return &value_.at(key);
  wrong(key, "missing");
  return nullptr;
}

std::string JsonFields::text(const char* key) const {
  const auto* found = find(key);
  if (found && found->is_string()) return found->get<std::string>();
  wrong(key, "not a string");
  return {};
}

uint64_t JsonFields::unsignedNumber(const char* key, uint64_t max) const {
  const auto* found = find(key);
  if (found && found->is_number_unsigned() && found->get<uint64_t>() <= max) return found->get<uint64_t>();
  wrong(key, "not an unsigned integer" + (max == UINT64_MAX ? "" : " up to " + std::to_string(max)));
  return 0;
}

int64_t JsonFields::signedNumber(const char* key) const {
  const auto* found = find(key);
  bool fits = found && found->is_number_integer() &&
              !(found->is_number_unsigned() && found->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
  if (fits) return found->get<int64_t>();
  wrong(key, "not an integer");
  return 0;
}

double JsonFields::number(const char* key) const {
  const auto* found = find(key);
  if (found && found->is_number()) return found->get<double>();
  wrong(key, "not a number");
  return 0;
}

double JsonFields::numberOrText(const char* key) const {
  const auto* found = find(key);
  if (found && *found == "inf") return std::numeric_limits<double>::infinity();
  if (found && *found == "nan") return std::numeric_limits<double>::quiet_NaN();
  return number(key);
}

bool JsonFields::flag(const char* key) const {
  const auto* found = find(key);
  if (found && found->is_boolean()) return found->get<bool>();
  wrong(key, "not true or false");
  return false;
}

std::string JsonFields::lineOfText(const char* key) const {
  auto found = text(key);
  if (printable(found) == found) return found;
  wrong(key, "has control characters");
  return {};
}

std::optional<double> JsonFields::optionalNumber(const char* key) const {
  return has(key) ? std::optional(number(key)) : std::nullopt;
}

std::optional<uint64_t> JsonFields::optionalUnsigned(const char* key) const {
  return has(key) ? std::optional(unsignedNumber(key)) : std::nullopt;
}

std::optional<std::string> JsonFields::optionalText(const char* key) const {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}

JsonFields JsonFields::object(const char* key) const {
  std::string path = path_ + (path_.empty() ? "" : ".") + key;
  const auto* found = find(key);
  if (found && found->is_object()) return {*found, problem_, path};
  wrong(key, "not an object");
  return {kEmptyObject, problem_, path};
}

std::vector<JsonFields> JsonFields::objects(const char* key) const {
  std::vector<JsonFields> out;
  const auto* found = find(key);
  if (!found || !found->is_array()) {
    wrong(key, "not an array");
    return out;
  }
  for (size_t i = 0; i < found->size(); ++i) {
    std::string path = path_ + (path_.empty() ? "" : ".") + key + "[" + std::to_string(i) + "]";
    if (found->at(i).is_object()) out.emplace_back(found->at(i), problem_, path);
    else wrong(std::string(key) + "[" + std::to_string(i) + "]", "not an object");
  }
  return out;
}

std::vector<std::pair<std::string, JsonFields>> JsonFields::members() const {
  std::vector<std::pair<std::string, JsonFields>> out;
  for (const auto& [key, value] : value_.items()) out.emplace_back(key, object(key.c_str()));
  return out;
}

std::vector<uint64_t> JsonFields::unsignedNumbers(const char* key) const {
  std::vector<uint64_t> out;
  const auto* found = find(key);
  if (!found || !found->is_array()) {
    wrong(key, "not an array");
    return out;
  }
  for (const auto& item : *found) {
    if (!item.is_number_unsigned()) wrong(key, "not an array of unsigned integers");
    else out.push_back(item.get<uint64_t>());
  }
  return out;
}

namespace {

/// Looked at beforehand: the parser's own callback takes quadratic time on long arrays.
bool nestsDeeperThan(std::string_view text, int limit) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inString && c == '\\') ++i;
    else if (c == '"') inString = !inString;
    else if (!inString && (c == '{' || c == '[') && ++depth > limit) return true;
    else if (!inString && (c == '}' || c == ']')) --depth;
  }
  return false;
}

}  // namespace

Expected<nlohmann::json> parseJsonObject(std::string_view text, const std::string& origin) {
  if (isLfsPointer(text)) return lfsError(origin);
  if (nestsDeeperThan(text, kMaxDepth)) return Error(ErrorCode::CorruptRecording, origin + ": nested too deeply");
  auto document = nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return Error(ErrorCode::CorruptRecording, origin + ": not a JSON object");
  return document;
}

Expected<void> checkVersion(const nlohmann::json& document, const std::string& origin) {
  std::optional<std::string> problem;
  auto major = JsonFields(document, problem, "").object("format").unsignedNumber("major", UINT32_MAX);
  if (problem) return Error(ErrorCode::CorruptRecording, origin + ": " + *problem);
  if (major == kFormatMajor) return {};
  return Error(ErrorCode::CorruptRecording,
               origin + ": format version " + std::to_string(major) + "; this Mneme (" MNEME_VERSION ") reads version " +
                   std::to_string(kFormatMajor) + (major > kFormatMajor ? ": use a newer Mneme" : ""));
}

std::string canonicalText(const nlohmann::json& document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mneme::format
