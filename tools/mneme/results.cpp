// SPDX-License-Identifier: Apache-2.0
/// `mneme results`: the trials that tunings left in a set, as a table, JSON, CSV or T4.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/printable.h"
#include "command.h"
#include "replay_job.h"
#include "set_text.h"
#include "text.h"
#include "tune/store.h"

namespace mneme::cli {
namespace {

using Json = nlohmann::json;

struct ResultsOptions {
  std::vector<std::string> recordings{"recordings"};
  std::string format = "table";
  size_t limit = 20;
  bool json = false;
};

struct Recorded {
  std::filesystem::path manifest;
  std::vector<tune::StoredTrial> trials;  ///< fastest first, failed ones last
};

std::string print(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

Expected<Recorded> readTrials(const std::filesystem::path& manifest) {
  if (auto readable = readManifest(manifest); !readable) return readable.error();
  auto trials = tune::readStore(tune::storePath(manifest));
  if (!trials) return trials.error();
  auto time = [](const tune::StoredTrial& t) { return t.result.worked() ? t.result.nanoseconds : HUGE_VAL; };
  std::stable_sort(trials->begin(), trials->end(), [&](const auto& a, const auto& b) { return time(a) < time(b); });
  return Recorded{manifest, std::move(*trials)};
}

void printTable(const Recorded& recorded, size_t limit) {
  const auto& trials = recorded.trials;
  const auto failed = std::count_if(trials.begin(), trials.end(), [](const auto& t) { return !t.result.worked(); });
  std::printf("%s: %s, %zu failed\n", printable(recordingName(recorded.manifest)).c_str(), counted(trials.size(), "trial").c_str(), static_cast<size_t>(failed));
  for (size_t i = 0; i < std::min(limit, trials.size()); ++i) {
    const auto& trial = trials[i];
    const std::string outcome = trial.result.worked() ? timeText(static_cast<uint64_t>(trial.result.nanoseconds)) : trial.result.failure;
    const std::string why = trial.result.worked() ? "" : "  (" + trial.result.reason.substr(0, trial.result.reason.find('\n')) + ")";
    std::printf("  %12s  %s%s\n", outcome.c_str(), printable(trial.configuration.empty() ? "(default)" : tune::text(trial.configuration)).c_str(), printable(why).c_str());
  }
}

Json jsonOf(const Recorded& recorded) {
  Json trials = Json::array();
  for (const auto& trial : recorded.trials) {
    Json one{{"at", trial.at}, {"device", trial.device}, {"context", trial.context}, {"configuration", tune::toJson(trial.configuration)},
             {"candidate", tune::toJson(trial.candidate)}};
    one.update(tune::toJson(trial.result));
    trials.push_back(std::move(one));
  }
  return {{"name", recordingName(recorded.manifest)}, {"manifest", recorded.manifest.string()}, {"trials", trials}};
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string result = "\"";
  for (char c : cell) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

/// One line a trial; a column for every parameter that any of them has.
void printCsv(const std::vector<Recorded>& all) {
  std::set<std::string> names;
  for (const auto& recorded : all)
    for (const auto& trial : recorded.trials)
      for (const auto& [name, value] : trial.configuration) names.insert(name);
  std::string line = "recording,at,device,time_ns,failure,reason";
  for (const auto& name : names) line += "," + quoted(name);
  std::puts(line.c_str());
  for (const auto& recorded : all) {
    for (const auto& trial : recorded.trials) {
      const auto& result = trial.result;
      line = quoted(recordingName(recorded.manifest)) + "," + trial.at + "," + quoted(trial.device) + "," +
             (result.worked() ? numberText(result.nanoseconds) : "") + "," + result.failure + "," + quoted(result.reason);
      for (const auto& name : names) {
        auto value = trial.configuration.find(name);
        line += "," + (value == trial.configuration.end() ? std::string() : quoted(tune::text(value->second)));
      }
      std::puts(line.c_str());
    }
  }
}

/// T4's word for why a configuration does not count.
std::string invalidity(const std::string& failure) {
  if (failure.empty()) return "correct";
  if (failure == "invalid") return "constraints";
  if (failure == "wrong") return "correctness";
  return failure == "compile" || failure == "timeout" ? failure : "runtime";
}

Json t4Of(const tune::StoredTrial& trial) {
  Json runtimes = Json::array(), measurements = Json::array();
  for (double sample : trial.result.samples) runtimes.push_back(sample / 1e6);
  if (trial.result.worked()) measurements.push_back({{"name", "time"}, {"value", trial.result.nanoseconds / 1e6}, {"unit", "ms"}});
  return {{"timestamp", trial.at}, {"configuration", tune::toJson(trial.configuration)},
          {"times", {{"compilation_time", 0}, {"framework", 0}, {"search_algorithm", 0}, {"validation", 0}, {"runtimes", runtimes}}},
          {"invalidity", invalidity(trial.result.failure)}, {"correctness", trial.result.failure == "wrong" ? 0 : 1},
          {"measurements", measurements}, {"objectives", {"time"}}};
}

/// Of one recording: a T4 file has one space. The default is no configuration of it.
int printT4(const std::vector<Recorded>& all) {
  if (all.size() != 1) return report(Error(ErrorCode::InvalidArgument, "T4 holds one kernel's results: name one recording"));
  Json results = Json::array();
  for (const auto& trial : all.front().trials)
    if (!trial.configuration.empty()) results.push_back(t4Of(trial));
  std::puts(print({{"schema_version", "1.0.0"}, {"results", results}}).c_str());
  return kPass;
}

int results(const ResultsOptions& options) {
  auto manifests = manifestsOf(options.recordings, true);
  if (!manifests) return report(manifests.error());
  std::vector<Recorded> all;
  for (const auto& manifest : *manifests) {
    auto recorded = readTrials(manifest);
    if (!recorded) return report(recorded.error());
    if (!recorded->trials.empty()) all.push_back(std::move(*recorded));
  }
  if (options.format == "t4") return printT4(all);
  if (options.format == "csv") return printCsv(all), kPass;
  if (options.json) {
    Json document = Json::array();
    for (const auto& recorded : all) document.push_back(jsonOf(recorded));
    return std::puts(print(document).c_str()), kPass;
  }
  for (const auto& recorded : all) printTable(recorded, options.limit);
  if (all.empty()) std::puts("no trials; `mneme tune REC` makes some");
  return kPass;
}

}  // namespace

std::function<int()> setupResults(CLI::App& app) {
  auto options = std::make_shared<ResultsOptions>();
  app.add_option("REC|SET", options->recordings, "manifests, or directories of recording sets")->capture_default_str();
  app.add_option("--format", options->format, "table, csv, or t4: the exchange format of auto-tuners (one recording)")
      ->check(CLI::IsMember({"table", "csv", "t4"}))->capture_default_str();
  app.add_option("--limit", options->limit, "lines a recording in the table")->capture_default_str();
  app.add_flag("--json", options->json, "print JSON");
  app.footer("Fastest first, failed trials with their reasons last.\nExample:\n  mneme results recordings --format csv");
  return [options] { return results(*options); };
}

}  // namespace mneme::cli
