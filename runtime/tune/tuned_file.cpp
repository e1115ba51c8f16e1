// SPDX-License-Identifier: Apache-2.0
/// See tuned_file.h.
#include "tune/tuned_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"

namespace mneme::tune {
namespace {

using Json = nlohmann::json;
constexpr uint64_t kMaxBytes = 16u << 20;

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json jsonOf(const TunedEntry& e) {
  return {{"kernel", e.kernel}, {"demangled", e.demangled}, {"name", e.name}, {"layout", e.layout}, {"backend", e.backend}, {"device", e.device},
          {"driver", e.driver}, {"compiler", e.compiler}, {"problem", e.problem}, {"context", e.context},
          {"configuration", toJson(e.configuration)}, {"candidate", toJson(e.candidate)},
          {"default_ns", std::round(e.defaultNanoseconds)}, {"tuned_ns", std::round(e.nanoseconds)},
          {"gain", {{"ratio", rounded(e.gain)}, {"low", rounded(e.low)}, {"high", rounded(e.high)}}},
          {"verified", e.verified}, {"trials", e.trials}};
}

Expected<TunedEntry> entryOf(const Json& json, const std::string& where) {
  TunedEntry e;
  auto corrupt = [&](const std::string& what) { return Error(ErrorCode::CorruptRecording, where + ": " + what); };
  if (!json.is_object()) return corrupt("not an entry");
  for (auto [key, place] : {std::pair{"kernel", &e.kernel}, {"demangled", &e.demangled}, {"name", &e.name}, {"layout", &e.layout},
                            {"backend", &e.backend}, {"device", &e.device}, {"driver", &e.driver}, {"compiler", &e.compiler},
                            {"problem", &e.problem}, {"context", &e.context}, {"verified", &e.verified}}) {
    if (!json.contains(key) || !json[key].is_string()) return corrupt(std::string(key) + ": missing or not a text");
    *place = json[key].get<std::string>();
  }
  const auto gain = json.value("gain", Json::object());
  for (auto [object, key, place] : {std::tuple{&json, "default_ns", &e.defaultNanoseconds}, {&json, "tuned_ns", &e.nanoseconds},
                                    {&gain, "ratio", &e.gain}, {&gain, "low", &e.low}, {&gain, "high", &e.high}}) {
    if (!object->is_object() || !object->contains(key) || !(*object)[key].is_number()) return corrupt(std::string(key) + ": missing or not a number");
    *place = (*object)[key].get<double>();
  }
  auto configuration = valuesFrom(json.value("configuration", Json()));
  auto candidate = candidateFrom(json.value("candidate", Json::object()));
  if (!configuration) return corrupt("configuration: " + configuration.error().message());
  if (!candidate) return corrupt("candidate: " + candidate.error().message());
  e.configuration = std::move(*configuration);
  e.candidate = std::move(*candidate);
  if (auto trials = json.find("trials"); trials != json.end() && trials->is_number_unsigned()) e.trials = trials->get<size_t>();
  return e;
}

auto keyOf(const TunedEntry& e) { return std::tie(e.kernel, e.layout, e.backend, e.device, e.problem); }

}  // namespace

Expected<std::vector<TunedEntry>> readTuned(const std::filesystem::path& path) {
  std::vector<TunedEntry> entries;
  auto text = readText(path, kMaxBytes);
  if (!text && text.error().code() == ErrorCode::NotFound) return entries;
  if (!text) return text.error();
  const auto json = Json::parse(*text, nullptr, false);
  const bool ours = json.is_object() && json.value("mneme_tuned", Json()) == 1 && json.contains("kernels") && json["kernels"].is_array();
  if (!ours) return Error(ErrorCode::CorruptRecording, path.string() + ": not a file of tunings (\"mneme_tuned\": 1)");
  for (size_t i = 0; i < json["kernels"].size(); ++i) {
    auto entry = entryOf(json["kernels"][i], path.string() + ": kernels." + std::to_string(i));
    if (!entry) return entry.error();
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Expected<bool> writeTuned(const std::filesystem::path& path, const TunedEntry& entry) {
  auto entries = readTuned(path);
  if (!entries) return entries.error();
  std::erase_if(*entries, [&](const TunedEntry& e) { return keyOf(e) == keyOf(entry); });
  entries->push_back(entry);
  std::sort(entries->begin(), entries->end(), [](const TunedEntry& a, const TunedEntry& b) { return keyOf(a) < keyOf(b); });
  Json json{{"mneme_tuned", 1}, {"kernels", Json::array()}};
  for (const auto& e : *entries) json["kernels"].push_back(jsonOf(e));
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (auto before = readText(path, kMaxBytes); before && *before == text) return false;
  if (auto written = writeAtomically(path, text); !written) return written.error();
  return true;
}

}  // namespace mneme::tune
