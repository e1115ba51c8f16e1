// SPDX-License-Identifier: Apache-2.0
/// Points to candidates, and both to JSON and back; see candidate.h.
#include "tune/candidate.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace mneme::tune {
namespace {

using Json = nlohmann::json;

Error corrupt(const std::string& what) { return {ErrorCode::CorruptRecording, what}; }

Expected<void> compute(const std::map<std::string, Bound>& bounds, const Space& space, const Point& point, std::map<std::string, Value>& out) {
  for (const auto& [name, bound] : bounds) {
    auto value = bound.evaluate(space.parameters, point);
    if (!value) return std::move(value).error().context(name);
    out.emplace(name, std::move(*value));
  }
  return {};
}

Json dimensions(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

std::optional<Dim3> dimensionsFrom(const Json& json) {
  if (!json.is_array() || json.size() != 3) return std::nullopt;
  for (const auto& part : json)
    if (!part.is_number_unsigned() || part.get<uint64_t>() > UINT32_MAX || part.get<uint64_t>() == 0) return std::nullopt;
  return Dim3{json[0].get<uint32_t>(), json[1].get<uint32_t>(), json[2].get<uint32_t>()};
}

}  // namespace

std::optional<Value> valueFrom(const Json& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_unsigned() && json.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  if (json.is_number_integer()) return Value(json.get<int64_t>());
  if (json.is_number_float()) return Value(json.get<double>());
  if (json.is_string()) return Value(json.get<std::string>());
  return std::nullopt;
}

std::string text(const Configuration& configuration) {
  std::string all;
  for (const auto& [name, value] : configuration) all += (all.empty() ? "" : " ") + name + "=" + text(value);
  return all;
}

Expected<Candidate> candidateOf(const Space& space, const Point& point, const LaunchShape& recorded) {
  Candidate candidate;
  auto shape = space.shapeOf(point, recorded);
  if (!shape) return shape.error();
  candidate.shape = *shape;
  if (auto done = compute(space.knobs, space, point, candidate.knobs); !done) return done.error();
  if (auto done = compute(space.macros, space, point, candidate.macros); !done) return done.error();
  return candidate;
}

Configuration configurationOf(const Space& space, const Point& point) {
  Configuration configuration;
  for (size_t d = 0; d < point.size(); ++d) configuration[space.parameters[d].name] = space.parameters[d].values[point[d]];
  return configuration;
}

std::optional<Point> pointOf(const Space& space, const Configuration& configuration) {
  Point point;
  if (configuration.size() != space.parameters.size()) return std::nullopt;
  for (const auto& parameter : space.parameters) {
    auto value = configuration.find(parameter.name);
    if (value == configuration.end()) return std::nullopt;
    auto place = std::find(parameter.values.begin(), parameter.values.end(), value->second);
    if (place == parameter.values.end()) return std::nullopt;
    point.push_back(static_cast<uint16_t>(place - parameter.values.begin()));
  }
  return point;
}

Json toJson(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json toJson(const std::map<std::string, Value>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = toJson(value);
  return json;
}

Json toJson(const Candidate& candidate) {
  return {{"grid", dimensions(candidate.shape.grid)},
          {"block", dimensions(candidate.shape.block)},
          {"shared", candidate.shape.dynamicSharedBytes},
          {"knobs", toJson(candidate.knobs)},
          {"macros", toJson(candidate.macros)}};
}

Json toJson(const TrialResult& result) {
  if (!result.worked()) return {{"failure", result.failure}, {"reason", result.reason}};
  Json json{{"time_ns", result.nanoseconds}, {"samples_ns", result.samples}};
  if (!result.code.empty()) json["code"] = result.code;
  return json;
}

Expected<std::map<std::string, Value>> valuesFrom(const Json& json) {
  std::map<std::string, Value> values;
  if (!json.is_object()) return corrupt("not an object of values");
  for (const auto& [name, item] : json.items()) {
    auto value = valueFrom(item);
    if (!value) return corrupt(name + ": not a value");
    values.emplace(name, std::move(*value));
  }
  return values;
}

Expected<Candidate> candidateFrom(const Json& json) {
  Candidate candidate;
  auto grid = dimensionsFrom(json.value("grid", Json())), block = dimensionsFrom(json.value("block", Json()));
  const auto shared = json.value("shared", Json());
  auto knobs = valuesFrom(json.value("knobs", Json())), macros = valuesFrom(json.value("macros", Json()));
  if (!grid || !block || !shared.is_number_unsigned()) return corrupt("not a launch shape");
  if (!knobs) return knobs.error();
  if (!macros) return macros.error();
  candidate.shape.grid = *grid;
  candidate.shape.block = *block;
  candidate.shape.dynamicSharedBytes = shared.get<uint64_t>();
  candidate.knobs = std::move(*knobs);
  candidate.macros = std::move(*macros);
  return candidate;
}

Expected<TrialResult> trialResultFrom(const Json& json) {
  TrialResult result;
  if (!json.is_object()) return corrupt("not a result");
  if (auto failure = json.find("failure"); failure != json.end()) {
    const bool known = failure->is_string() && std::find(std::begin(kFailures), std::end(kFailures), failure->get<std::string>()) != std::end(kFailures);
    if (!known || !json.contains("reason") || !json["reason"].is_string()) return corrupt("not a failure");
    result.failure = failure->get<std::string>();
    result.reason = json["reason"].get<std::string>();
    return result;
  }
  auto time = json.find("time_ns"), samples = json.find("samples_ns");
  if (time == json.end() || !time->is_number() || !(time->get<double>() > 0) || samples == json.end() || !samples->is_array()) return corrupt("not a time");
  result.nanoseconds = time->get<double>();
  for (const auto& sample : *samples) {
    if (!sample.is_number() || !(sample.get<double>() > 0)) return corrupt("not a sample");
    result.samples.push_back(sample.get<double>());
  }
  if (auto code = json.find("code"); code != json.end() && code->is_string()) result.code = code->get<std::string>();
  return result;
}

}  // namespace mneme::tune
