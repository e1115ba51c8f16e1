// SPDX-License-Identifier: Apache-2.0
/// `mneme tune`: searches for a kernel's fastest configuration; with --simulate on a file instead of a device.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "command.h"
#include "device_choice.h"
#include "replay_job.h"
#include "set_text.h"
#include "text.h"
#include "tune/simulation.h"
#include "tune_search.h"
#include "tune_worker.h"

namespace mneme::cli {
namespace {

struct TuneOptions {
  std::vector<std::string> recordings;
  std::string simulate, strategy = "auto", budget = "200", objective = "time", space, device = "auto", code = "recorded", as, launcher, output;
  std::vector<std::string> tolerances;
  uint64_t seed = 1;
  unsigned trialSeconds = 30;
  bool json = false, worker = false;
};

/// "200": a number of evaluations.
Expected<size_t> evaluationsOf(const std::string& budget, const std::string& meaning) {
  const bool digits = !budget.empty() && budget.size() <= 9 && budget.find_first_not_of("0123456789") == std::string::npos;
  if (digits && std::stoul(budget) > 0) return std::stoul(budget);
  return Error(ErrorCode::InvalidArgument, "--budget " + printable(budget) + ": " + meaning);
}

/// "200" evaluations or "60s".
Expected<void> readBudget(const std::string& budget, TuneJob& job) {
  const bool time = budget.ends_with('s');
  auto number = evaluationsOf(time ? budget.substr(0, budget.size() - 1) : budget, "a number of evaluations (200) or of seconds (60s)");
  if (!number) return number.error();
  if (time) job.seconds = static_cast<double>(*number);
  else job.evaluations = *number;
  return {};
}

/// Beside the recording set: what CMake and people look at is no part of the set.
std::string outputOf(const TuneOptions& options, const std::filesystem::path& manifest) {
  if (!options.output.empty()) return options.output;
  const auto set = std::filesystem::absolute(manifest).parent_path();
  return (set.parent_path() / "tuned.json").string();
}

nlohmann::json jsonOf(const TuneOptions& options, const tune::MeasuredSpace& space, const tune::Simulated& run) {
  nlohmann::json trace = nlohmann::json::array();
  for (const auto& [evaluations, best] : run.trace) trace.push_back({evaluations, best});
  return {{"kernel", space.kernel},
          {"device", space.device},
          {"strategy", options.strategy},
          {"seed", options.seed},
          {"configurations", space.measured.size()},
          {"optimum_time", space.optimum},
          {"best_time", run.best == tune::kFailed ? nlohmann::json() : nlohmann::json(run.best)},
          {"evaluations", run.evaluations},
          {"trace", trace}};
}

void printRun(const TuneOptions& options, const tune::MeasuredSpace& space, const tune::Simulated& run) {
  std::printf("%zu configurations of %s on %s; the best takes %s ms\n", space.measured.size(),
              space.kernel.empty() ? "a kernel" : space.kernel.c_str(), space.device.empty() ? "a device" : space.device.c_str(),
              numberText(space.optimum).c_str());
  double last = tune::kFailed;
  for (const auto& [evaluations, best] : run.trace) {
    if (best < last) std::printf("%6zu  %12s ms  %5.1f %% of the optimum\n", evaluations, numberText(best).c_str(), 100 * space.optimum / best);
    last = best;
  }
  if (run.best == tune::kFailed) std::printf("%s: no configuration of %zu worked\n", options.strategy.c_str(), run.evaluations);
  else std::printf("%s: %s ms after %zu evaluations\n", options.strategy.c_str(), numberText(run.best).c_str(), run.evaluations);
}

int simulate(const TuneOptions& options) {
  auto strategy = tune::findStrategy(options.strategy);
  if (!strategy) return report(strategy.error());
  auto budget = evaluationsOf(options.budget, "with --simulate this is a number of evaluations");
  if (!budget) return report(budget.error());
  auto space = tune::readMeasuredSpace(options.simulate);
  if (!space) return report(space.error());
  const auto run = tune::simulate(*space, **strategy, *budget, options.seed);
  if (options.json) std::puts(jsonOf(options, *space, run).dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  else printRun(options, *space, run);
  return run.best == tune::kFailed ? kUndecided : kPass;
}

extern "C" void stopTuning(int) { tuneStopped = true; }

int tuneAll(const TuneOptions& options) {
  TuneJob job;
  if (auto budget = readBudget(options.budget, job); !budget) return report(budget.error());
  if (auto strategy = tune::findStrategy(options.strategy); !strategy) return report(strategy.error());
  auto manifests = manifestsOf(options.recordings);
  if (!manifests) return report(manifests.error());
  job.space = options.space, job.strategy = options.strategy, job.device = options.device, job.code = options.code, job.as = options.as;
  job.launcher = options.launcher, job.tolerances = options.tolerances, job.seed = options.seed, job.trialSeconds = options.trialSeconds;
  std::signal(SIGINT, stopTuning);
  std::signal(SIGTERM, stopTuning);
  int code = kPass;
  auto all = nlohmann::json::array();
  for (const auto& manifest : *manifests) {
    if (tuneStopped) break;
    job.manifest = manifest;
    job.output = outputOf(options, manifest);
    const auto result = tuneOne(job);
    code = worseOf(code, result.exitCode);
    all.push_back(result.data);
    if (!options.json)
      for (const auto& line : result.lines) std::puts(printable(line).c_str());
  }
  if (options.json) std::puts(all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  return code;
}

int runTune(const TuneOptions& options) {
  if (options.worker) return runTuneWorker({options.recordings.front(), options.device, options.code, options.as, options.tolerances, false});
  if (options.simulate.empty() == options.recordings.empty())
    return report(Error(ErrorCode::InvalidArgument, "tune either recordings or, with --simulate, a measured space"));
  return options.simulate.empty() ? tuneAll(options) : simulate(options);
}

std::string strategiesText() {
  std::string text = "Strategies:\n";
  for (const auto& strategy : tune::strategies())
    text += "  " + std::string(strategy.name) + std::string(24 - strategy.name.size(), ' ') + std::string(strategy.summary) + "\n";
  return text;
}

}  // namespace

std::function<int()> setupTune(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  options->device = defaultDevice();
  app.add_option("REC|SET", options->recordings, "manifests: recordings/<kernel>.<hash8>.json; a directory stands for all of its recordings");
  app.add_option("--space", options->space, "space file; default: derived from the recording")->type_name("F");
  app.add_option("--strategy", options->strategy, "how to search; see below")->type_name("S")->capture_default_str();
  app.add_option("--budget", options->budget, "how many configurations to evaluate, or for how long (60s); failed ones count")->type_name("N|Ns")->capture_default_str();
  app.add_option("--objective", options->objective, "what to make small")->check(CLI::IsMember({"time"}))->capture_default_str();
  app.add_option("--seed", options->seed, "the same seed and the same times give the same search")->type_name("K")->capture_default_str();
  app.add_option("--launcher", options->launcher, "command that starts a worker: \"srun -n1 --gpus=1\", \"ssh node\"")->type_name("T");
  app.add_option("--device", options->device, "auto, host, cuda, cuda:N or hip; auto: the recording's own, else host (environment: MNEME_DEVICE)")->capture_default_str();
  app.add_option("--code", options->code, "what to tune: 'recorded', or a binary of the current build (macros need one)")->capture_default_str();
  app.add_option("--as", options->as, "image, ptx or llvm; default: llvm, where knobs and macros can be tried; what nvcc built is tuned as nvcc's code")
      ->check(CLI::IsMember({"image", "ptx", "llvm"}));
  app.add_option("--output", options->output, "file of results; default: tuned.json beside the recording set")->type_name("F");
  app.add_option("--tolerance", options->tolerances, "[buffer:]atol=A,rtol=R,ulp=U; repeatable")->allow_extra_args(false);
  app.add_option("--timeout", options->trialSeconds, "seconds that one trial may take")->capture_default_str()->check(CLI::Range(1u, 100'000u));
  app.add_option("--simulate", options->simulate, "a measured space instead: Kernel Tuner cache file or T4 results, gzip or plain; no device is used")->type_name("CACHE");
  app.add_flag("--json", options->json, "print JSON");
  app.add_flag("--worker", options->worker)->group("");
  app.footer(strategiesText() + "Trials are kept in SET/tuning; the next run goes on from there. Exit code 5: stopped, or nothing worked.\n"
             "Example:\n  mneme tune recordings/stencil.1a2b3c4d.json --code build/app --space space.json --budget 100\n"
             "  mneme tune --simulate space.json.gz --strategy auto --budget 100 --json");
  return [options] { return runTune(*options); };
}

}  // namespace mneme::cli
