// SPDX-License-Identifier: Apache-2.0
/// See gate_calibrate.h. Live comparisons are few, so what they show is joined by drawing again from their pairs.
#include "gate_calibrate.h"

#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "base/cache_folder.h"
#include "base/file.h"
#include "gate/calibration.h"
#include "measure/statistics.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kResampled = 20'000;
constexpr uint64_t kMaxFileBytes = 16u << 20;

/// What all live comparisons of one recording came to.
struct Live {
  std::vector<gate::Pair> pairs;
  unsigned regressions = 0, undecided = 0, comparisons = 0;
  double seconds = 0;
};

void addPairs(const nlohmann::json& data, std::vector<gate::Pair>& pairs) {
  const auto& baseline = data["baseline_samples"];
  const auto& candidate = data["candidate_samples"];
  for (size_t i = 0; i < baseline.size() && i < candidate.size(); ++i)
    pairs.push_back({baseline[i].get<double>(), candidate[i].get<double>()});
}

/// Relative, of one process's median: half of the pairs' differences come from either side.
double betweenProcesses(const std::vector<gate::Pair>& pairs) {
  std::vector<double> ratios;
  for (const auto& pair : pairs) ratios.push_back(std::log(pair.candidate / pair.baseline));
  return measure::robustDeviation(ratios) / std::sqrt(2.0);
}

std::string percent(double fraction, int digits = 2) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %%", digits, fraction * 100);
  return text;
}

std::string slowdownText(double ratio) { return ratio > 1 ? percent(ratio - 1, 1) : "none up to 100 %"; }

nlohmann::json numbersOf(const Live& live, const gate::Limits& limits) {
  const auto same = gate::resample(live.pairs, limits, 1, kResampled);
  const auto count = [](double share) { return static_cast<unsigned>(std::lround(share * kResampled)); };
  return {{"comparisons", live.comparisons}, {"false_alarms", live.regressions}, {"undecided", live.undecided},
          {"pairs", live.pairs.size()}, {"noise", betweenProcesses(live.pairs)},
          {"resampled", kResampled}, {"resampled_false_alarms", same.regression}, {"resampled_undecided", same.undecided},
          {"resampled_alarms_at_most", gate::highestRate(count(same.alarms()), kResampled)},
          {"detectable_95", gate::smallestDetectable(live.pairs, limits, 0.95)},
          {"detectable_995", gate::smallestDetectable(live.pairs, limits, 0.995)},
          {"seconds_per_comparison", live.seconds / live.comparisons}};
}

std::vector<std::string> linesOf(const nlohmann::json& data, const fs::path& manifest) {
  const auto get = [&](const char* key) { return data.value(key, 0.0); };
  const auto whole = [&](const char* key) { return std::to_string(data.value(key, 0u)); };
  return {"CALIBRATED " + recordingName(manifest) + " on " + data.value("device", "") + ": " +
              timeText(static_cast<uint64_t>(get("nanoseconds"))) + ", " + percent(get("noise")) + " between processes, " +
              data.value("cache", "") + " caches",
          "  same code on both sides: " + whole("false_alarms") + " false alarms and " + whole("undecided") + " undecided in " +
              whole("comparisons") + " comparisons of " + numberText(get("seconds_per_comparison")) + " s",
          "  drawn again from their pairs, " + std::to_string(kResampled) + " times: " + percent(get("resampled_false_alarms"), 3) +
              " false alarms, " + percent(get("resampled_undecided"), 3) + " undecided; together at most " +
              percent(get("resampled_alarms_at_most"), 3),
          "  smallest slowdown found in 95 % of cases: " + slowdownText(get("detectable_95")) + ", in 99.5 %: " +
              slowdownText(get("detectable_995")) + " (limit " + percent(get("limit") - 1, 1) + ")"};
}

std::string fileNameOf(const std::string& device) {
  std::string name;
  for (char c : device) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + ".json";
}

fs::path fileFor(const std::string& device) { return cacheFolder() / "calibration" / fileNameOf(device); }

nlohmann::json load(const fs::path& file) {
  auto text = readText(file, kMaxFileBytes);
  auto all = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  return all.is_object() ? all : nlohmann::json::object();
}

}  // namespace

ReplayResult calibrate(const GateOptions& given, const CalibrateOptions& calibration, const fs::path& manifest) {
  auto options = given;
  options.baseline = options.replay.code;
  options.measureUnchanged = true;
  Live live;
  nlohmann::json last;
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < calibration.comparisons; ++i) {
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (calibration.seconds > 0 && i > 0 && spent + spent / i > calibration.seconds) break;
    auto result = gatePerf(options, manifest);
    if (!result.data.contains("ratio")) return result;
    ++live.comparisons;
    live.regressions += result.data["verdict"] == "regression";
    live.undecided += result.data["verdict"] == "undecided";
    live.seconds += result.data.value("seconds_measuring", 0.0);
    addPairs(result.data, live.pairs);
    last = std::move(result.data);
    options.looked = last;
  }
  ReplayResult result{kPass, {}, {{"name", recordingName(manifest)}, {"kind", "calibration"}, {"verdict", "calibrated"},
                                  {"manifest", manifest.string()}, {"limit", last["limit"]}, {"nanoseconds", last["baseline_ns"]}}};
  for (const char* key : {"kernel", "device", "driver", "code", "cache", "batch"}) result.data[key] = last.value(key, nlohmann::json());
  result.data.update(numbersOf(live, limitsFor(options, last.value("backend", ""))));
  auto& samples = result.data["samples"] = nlohmann::json::array();
  for (const auto& pair : live.pairs) samples.push_back({pair.baseline, pair.candidate});
  result.lines = linesOf(result.data, manifest);
  return result;
}

Expected<fs::path> keepCalibration(const CalibrateOptions& calibration, const ReplayResult& result) {
  const auto device = result.data.value("device", "");
  const fs::path file = calibration.file.empty() ? fileFor(device) : fs::path(calibration.file);
  std::error_code failed;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), failed);
  if (failed) return ioError("cannot make", file.parent_path(), failed.value());
  auto all = load(file);
  all["format"] = 1;
  all["calibrations"][device][result.data.value("name", "")] = result.data;
  auto written = writeAtomically(file, all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  if (!written) return std::move(written).error();
  return file;
}

std::string calibrationNote(const std::string& device, const std::string& recording) {
  const auto all = load(fileFor(device));
  const auto place = nlohmann::json::json_pointer("/calibrations") / device / recording / "detectable_95";
  if (!all.contains(place) || !all[place].is_number()) return "";
  return "calibrated here: smallest slowdown found in 95 % of cases: " + slowdownText(all[place].get<double>());
}

}  // namespace mneme::cli
