// SPDX-License-Identifier: Apache-2.0
/// Reads cache and T4 files of anyone's making; see measured_space.h. Nothing is believed before it is checked.
#include "tune/measured_space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "tune/candidate.h"
#include "tune/gzip.h"

namespace mneme::tune {
namespace {

using Json = nlohmann::json;
constexpr uint64_t kMaxBytes = 1u << 30;
constexpr int kMaxDepth = 12;
constexpr size_t kMaxRows = 10'000'000;
constexpr double kOldFailure = 1e20;  ///< what older files have as the time of a configuration that failed

Error corrupt(const std::string& what) { return {ErrorCode::CorruptRecording, what}; }

/// One measured configuration, before its values have numbers.
struct Row {
  std::vector<Value> values;
  MeasuredPoint measured;
};

struct Table {
  std::string kernel, device;
  std::vector<std::string> names;
  std::vector<Row> rows;
};

std::string textAt(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? printable(found->get<std::string>()) : std::string();
}

double timeOf(const Json& json) {
  if (!json.is_number()) return std::numeric_limits<double>::infinity();
  const double time = json.get<double>();
  return std::isfinite(time) && time > 0 && time < kOldFailure ? time : std::numeric_limits<double>::infinity();
}

void readSamples(const Json& entry, const char* key, MeasuredPoint& point) {
  auto samples = entry.find(key);
  if (samples == entry.end() || !samples->is_array() || !std::isfinite(point.time)) return;
  for (const auto& sample : *samples)
    if (const double time = timeOf(sample); std::isfinite(time)) point.samples.push_back(static_cast<float>(time));
}

Expected<std::vector<Value>> configurationOf(const Json& object, const std::vector<std::string>& names, const std::string& where) {
  std::vector<Value> values;
  for (const auto& name : names) {
    auto found = object.find(name);
    auto value = found == object.end() ? std::nullopt : valueFrom(*found);
    if (!value) return corrupt(where + ": no value of the parameter '" + printable(name) + "'");
    values.push_back(std::move(*value));
  }
  return values;
}

/// Kernel Tuner: "tune_params_keys" and "cache", an entry a configuration.
Expected<Table> readCache(const Json& document) {
  Table table{textAt(document, "kernel_name"), textAt(document, "device_name"), {}, {}};
  auto keys = document.find("tune_params_keys");
  if (keys == document.end() || !keys->is_array()) return corrupt("tune_params_keys: missing or not a list");
  for (const auto& key : *keys) {
    if (!key.is_string()) return corrupt("tune_params_keys: not a list of names");
    table.names.push_back(key.get<std::string>());
  }
  const auto& cache = document["cache"];
  if (!cache.is_object()) return corrupt("cache: not an object");
  for (const auto& [name, entry] : cache.items()) {
    const std::string where = "cache." + printable(name);
    if (!entry.is_object() || !entry.contains("time")) return corrupt(where + ": has no time");
    auto values = configurationOf(entry, table.names, where);
    if (!values) return values.error();
    MeasuredPoint point{timeOf(entry["time"]), {}};
    readSamples(entry, "times", point);
    table.rows.push_back({std::move(*values), std::move(point)});
  }
  return table;
}

/// The measurement that the result's own objective names; "time" where it names none.
double objectiveOf(const Json& result) {
  std::string wanted = "time";
  auto objectives = result.find("objectives");
  if (objectives != result.end() && objectives->is_array() && !objectives->empty() && objectives->front().is_string())
    wanted = objectives->front().get<std::string>();
  auto measurements = result.find("measurements");
  if (measurements == result.end() || !measurements->is_array()) return std::numeric_limits<double>::infinity();
  for (const auto& measurement : *measurements)
    if (measurement.is_object() && textAt(measurement, "name") == wanted && measurement.contains("value")) return timeOf(measurement["value"]);
  return std::numeric_limits<double>::infinity();
}

/// T4: "results", each with its configuration and why it is not valid.
Expected<Table> readT4(const Json& document) {
  Table table;
  const auto& results = document["results"];
  if (!results.is_array() || results.empty()) return corrupt("results: not a list of results");
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string where = "results." + std::to_string(i);
    const auto& result = results[i];
    if (!result.is_object() || !result.contains("configuration") || !result["configuration"].is_object())
      return corrupt(where + ": has no configuration");
    const auto& configuration = result["configuration"];
    if (i == 0)
      for (const auto& [name, value] : configuration.items()) table.names.push_back(name);
    auto values = configurationOf(configuration, table.names, where);
    if (!values) return values.error();
    const std::string invalidity = textAt(result, "invalidity");
    const bool valid = invalidity.empty() || invalidity == "correct";
    MeasuredPoint point{valid ? objectiveOf(result) : std::numeric_limits<double>::infinity(), {}};
    if (auto times = result.find("times"); times != result.end() && times->is_object()) readSamples(*times, "runtimes", point);
    table.rows.push_back({std::move(*values), std::move(point)});
  }
  return table;
}

/// Every parameter has the values that its rows have.
std::vector<Parameter> parametersOf(const Table& table) {
  std::vector<Parameter> parameters;
  for (size_t d = 0; d < table.names.size(); ++d) {
    std::map<Value, bool> values;
    for (const auto& row : table.rows) values.emplace(row.values[d], true);
    Parameter parameter{table.names[d], {}, 0};
    for (const auto& [value, seen] : values) parameter.values.push_back(value);
    sortValues(parameter);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

Expected<MeasuredSpace> spaceOf(Table table) {
  if (table.names.empty() || table.names.size() > kMaxParameters) return corrupt("not between 1 and " + std::to_string(kMaxParameters) + " parameters");
  if (table.rows.empty() || table.rows.size() > kMaxRows) return corrupt("not between 1 and " + std::to_string(kMaxRows) + " configurations");
  MeasuredSpace space{table.kernel, table.device, std::nullopt, {}, std::numeric_limits<double>::infinity()};
  auto parameters = parametersOf(table);
  std::vector<std::map<Value, uint16_t>> places(parameters.size());
  for (size_t d = 0; d < parameters.size(); ++d) {
    if (parameters[d].values.size() > kMaxValues) return corrupt(printable(parameters[d].name) + ": more than " + std::to_string(kMaxValues) + " values");
    for (size_t i = 0; i < parameters[d].values.size(); ++i) places[d][parameters[d].values[i]] = static_cast<uint16_t>(i);
  }
  std::vector<Point> points;
  for (auto& row : table.rows) {
    Point point;
    for (size_t d = 0; d < parameters.size(); ++d) point.push_back(places[d].at(row.values[d]));
    space.optimum = std::min(space.optimum, row.measured.time);
    if (space.measured.emplace(point, std::move(row.measured)).second) points.push_back(std::move(point));
  }
  if (!std::isfinite(space.optimum)) return corrupt("no configuration has a time");
  space.domain.emplace(std::move(parameters), std::move(points));
  return space;
}

/// A run that was interrupted left "…},\n" without the closing brackets.
std::string closed(std::string text) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos || text[end] == '}' || text[end] == ']') return text;
  const size_t last = text.rfind("},");
  return last == std::string::npos ? text : text.substr(0, last + 1) + "}}";
}

/// Brackets outside of texts. A parser with a callback could count them too, but looks at a whole object at each of its ends.
bool tooDeep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && (c == '{' || c == '[') && ++depth > kMaxDepth) return true;
    else if (!quoted && (c == '}' || c == ']')) --depth;
  }
  return false;
}

Expected<Json> parsed(const std::string& text) {
  if (tooDeep(text)) return corrupt("nested deeper than " + std::to_string(kMaxDepth) + " levels");
  auto document = Json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object()) return corrupt("not a JSON object");
  return document;
}

Expected<MeasuredSpace> fromText(std::string text) {
  auto document = parsed(closed(std::move(text)));
  if (!document) return document.error();
  const bool cache = document->contains("cache"), t4 = document->contains("results");
  if (!cache && !t4) return corrupt("neither a Kernel Tuner cache file (\"cache\") nor T4 results (\"results\")");
  auto table = cache ? readCache(*document) : readT4(*document);
  if (!table) return table.error();
  return spaceOf(std::move(*table));
}

}  // namespace

Expected<MeasuredSpace> readMeasuredSpace(const std::filesystem::path& path) {
  auto text = readMaybeGzip(path, kMaxBytes);
  if (!text) return text.error();
  auto space = fromText(std::move(*text));
  if (!space) return std::move(space).error().context(printable(path.string()));
  return space;
}

}  // namespace mneme::tune
