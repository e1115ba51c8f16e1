// SPDX-License-Identifier: Apache-2.0
/// `mneme gate`: verdicts for CI. Each recording through each kind of gate; what people look at is in gate_report.h.
#include <cstdio>
#include <memory>

#include "base/file.h"
#include "command.h"
#include "gate_calibrate.h"
#include "gate_job.h"
#include "gate_report.h"
#include "junit.h"
#include "replay_results.h"
#include "set_text.h"
#include "static_limits.h"
#include "text.h"

namespace mneme::cli {
namespace {

struct Arguments {
  std::vector<std::string> recordings;
  GateOptions options;
  CalibrateOptions calibration;
  bool calibrate = false;
  std::string minEffect;
  std::string junit, metrics, history;
  bool json = false;
};

using Kind = ReplayResult (*)(const GateOptions&, const std::filesystem::path&);

Kind kindNamed(const std::string& name) {
  return name == "verify" ? gateVerify : name == "perf" ? gatePerf : gateStatic;
}

/// "5us", "0.2 ms", "100ns", "100": nanoseconds; negative for anything else.
double nanosecondsFrom(const std::string& text) {
  size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    return -1;
  }
  std::string unit = text.substr(used);
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  const std::pair<const char*, double> units[]{{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [name, factor] : units)
    if (unit == name) return value * factor;
  return -1;
}

Error usage(const std::string& message) { return {ErrorCode::InvalidArgument, message}; }

Expected<void> checkArguments(Arguments& arguments) {
  auto& options = arguments.options;
  if (auto checked = checkOptions(options.replay); !checked) return checked;
  if (!arguments.calibrate && !options.replay.fromBinary()) return usage("--code BINARY is missing: the current build's program");
  if (!arguments.minEffect.empty() && (options.minEffect = nanosecondsFrom(arguments.minEffect)) < 0)
    return usage("--min-effect '" + arguments.minEffect + "': a time such as 200ns, 5us or 0.1ms");
  if (options.maxSlowdown != 0 && !(options.maxSlowdown >= 1 && options.maxSlowdown <= 100))
    return usage("--max-slowdown: a ratio from 1 to 100; 1.05 allows 5 % slower");
  for (const auto& limit : options.staticLimits)
    if (auto parsed = parseStaticLimit(limit); !parsed) return std::move(parsed).error();
  const bool file = options.baseline != "recorded";
  const bool stored = std::filesystem::path(options.baseline).extension() == ".json";
  if (file && !stored && !std::filesystem::exists(options.baseline))
    return Error(ErrorCode::NotFound, "--baseline " + options.baseline + ": no such file");
  return {};
}

Expected<void> writeReports(const Arguments& arguments, const std::vector<ReplayResult>& results) {
  if (!arguments.junit.empty())
    if (auto written = writeJunit(arguments.junit, results, "mneme gate"); !written) return written;
  if (!arguments.metrics.empty())
    if (auto written = writeAtomically(arguments.metrics, metricsText(results)); !written) return written;
  if (!arguments.history.empty())
    if (auto written = appendHistory(arguments.history, results); !written) return written;
  return arguments.json ? Expected<void>() : reportToGithub(results);
}

int finish(const Arguments& arguments, const std::vector<ReplayResult>& results) {
  if (arguments.json) printJson(results);
  else if (results.size() > 1) printSummary(results, "gates");
  if (auto written = writeReports(arguments, results); !written) return report(written.error());
  return worstOf(results);
}

int runCalibration(const Arguments& arguments, const std::vector<std::filesystem::path>& recordings) {
  std::vector<ReplayResult> results;
  for (const auto& recording : recordings) {
    results.push_back(calibrate(arguments.options, arguments.calibration, recording));
    auto& result = results.back();
    if (result.data.value("verdict", "") == "calibrated") {
      auto kept = keepCalibration(arguments.calibration, result);
      if (!kept) return report(kept.error());
      result.lines.push_back("  kept in " + kept->string());
    }
    if (!arguments.json) printLines(result);
  }
  if (arguments.json) printJson(results);
  return worstOf(results);
}

int runGate(Arguments& arguments) {
  if (auto checked = checkArguments(arguments); !checked) return report(checked.error());
  if (arguments.recordings.empty()) arguments.recordings = {"recordings"};
  auto recordings = manifestsOf(arguments.recordings);
  if (!recordings) return report(recordings.error());
  if (arguments.calibrate) return runCalibration(arguments, *recordings);
  std::vector<ReplayResult> results;
  for (const auto& kind : arguments.options.kinds)
    for (const auto& recording : *recordings) {
      results.push_back(timed([&] { return kindNamed(kind)(arguments.options, recording); }));
      if (!arguments.json) printLines(results.back());
    }
  return finish(arguments, results);
}

void addPerfOptions(CLI::App& app, Arguments& arguments) {
  auto& options = arguments.options;
  app.add_option("--baseline", options.baseline, "what to compare with: 'recorded' code, another build's binary, or stored TIMES.json")
      ->capture_default_str();
  app.add_option("--max-slowdown", options.maxSlowdown, "ratio that is allowed, 1.05: 5 % slower; default 1.01, on the host device 1.10");
  app.add_option("--min-effect", arguments.minEffect, "a shorter difference of one launch never fails: 200ns, 5us; default 100ns, on the host device 2us");
  app.add_option("--undecided", options.undecided, "what a gate that cannot decide counts as: fail, skip or pass")
      ->capture_default_str()->check(CLI::IsMember({"fail", "skip", "pass"}));
  app.add_option("--cache", options.cache, "auto: cold, and warm for kernels that are timed in batches; or cold, warm")
      ->capture_default_str()->check(CLI::IsMember({"auto", "cold", "warm"}));
  app.add_option("--budget", options.budgetSeconds, "seconds after which one recording's perf gate decides on what it has")
      ->capture_default_str()->check(CLI::Range(1u, 100'000u));
  app.add_option("--sample-ms", options.replay.measureMilliseconds, "milliseconds that one process samples")
      ->capture_default_str()->check(CLI::Range(1u, 100'000u));
  app.add_flag("--measure-unchanged", options.measureUnchanged, "measure identical machine code, too");
  app.add_option("--save-times", options.saveTimes, "measure BINARY alone and keep its times in this file, for --baseline");
  app.add_flag("--calibrate", arguments.calibrate, "the same code on both sides: how often is this machine's gate wrong, and what can it find?");
  app.add_option("--comparisons", arguments.calibration.comparisons, "of each recording, for --calibrate")
      ->capture_default_str()->check(CLI::Range(1u, 10'000u));
  app.add_option("--calibration-file", arguments.calibration.file, "where --calibrate keeps its numbers; default: with Mneme's caches, by device");
  app.add_option("--calibrate-seconds", arguments.calibration.seconds)->group("");
  app.add_option("--seed", options.seed)->group("");
}

void addReportOptions(CLI::App& app, Arguments& arguments) {
  app.add_option("--junit", arguments.junit, "write JUnit XML with the measurements to this file");
  app.add_option("--gitlab-metrics", arguments.metrics, "write OpenMetrics text for GitLab's metrics report to this file");
  app.add_option("--history", arguments.history, "append one JSON line a gate to this file; see mneme history");
  app.add_flag("--json", arguments.json, "print results as JSON instead of lines");
}

}  // namespace

std::function<int()> setupGate(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  auto& options = arguments->options;
  options.replay.device = defaultDevice();
  options.kinds = {"verify", "perf", "static"};
  app.add_option("REC|SET", arguments->recordings, "manifests: recordings/<kernel>.<hash8>.json; a directory stands for all of its recordings");
  app.add_option("--code", options.replay.code, "the binary under test: the current build's program");
  app.add_option("--kinds", options.kinds, "which gates: verify, perf, static")
      ->delimiter(',')->allow_extra_args(false)->capture_default_str()->check(CLI::IsMember({"verify", "perf", "static"}));
  app.add_option("--device", options.replay.device, "auto, host, cuda, cuda:N or hip; auto: the recording's own, else host (environment: MNEME_DEVICE)")
      ->capture_default_str();
  app.add_option("--as", options.replay.as, "image, ptx or llvm; default: the first of them that the device and the code have");
  app.add_option("--tolerance", options.replay.tolerances, "[buffer:]atol=A,rtol=R,ulp=U; repeatable")->allow_extra_args(false);
  app.add_option("--static-limits", options.staticLimits,
                 "METRIC=LIMIT: registers=+0 (above the baseline), spills=0 (at most), occupancy=-0 (below the baseline), "
                 "instructions=+5%; repeatable; default registers=+0,spills=+0,stack=+0,occupancy=-0")
      ->delimiter(',')->allow_extra_args(false);
  app.add_option("--arch", options.architectures, "architectures for the static gate; default: the code's own")
      ->delimiter(',')->allow_extra_args(false);
  app.add_option("--timeout", options.replay.timeoutSeconds, "seconds until one process counts as hung")
      ->capture_default_str()->check(CLI::Range(1u, 1'000'000u));
  app.add_option("--build-type", options.buildType)->group("");
  addPerfOptions(app, *arguments);
  addReportOptions(app, *arguments);
  app.footer("Exit code: 0 pass, also where faster or unchanged; 1 regression, limit exceeded, wrong answer; 3 recording\n"
             "unreadable; 4 device trouble; 5 undecided; 77 the device or the assembler is not here, or a debug build.\n\n"
             "Examples:\n  mneme gate recordings --code build/app --kinds perf --max-slowdown 1.05\n"
             "  mneme gate recordings --calibrate");
  return [arguments] { return runGate(*arguments); };
}

}  // namespace mneme::cli
