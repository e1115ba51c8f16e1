// SPDX-License-Identifier: Apache-2.0
/// `mneme tune`: searches for a kernel's fastest configuration; with --simulate on a file instead of a device.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "command.h"
#include "text.h"
#include "tune/simulation.h"

namespace mneme::cli {
namespace {

struct TuneOptions {
  std::string simulate, strategy = "auto", budget = "200";
  uint64_t seed = 1;
  bool json = false;
};

/// "200": evaluations.
Expected<size_t> evaluationsOf(const std::string& budget) {
  const bool digits = !budget.empty() && budget.size() <= 9 && budget.find_first_not_of("0123456789") == std::string::npos;
  if (digits && std::stoul(budget) > 0) return std::stoul(budget);
  return Error(ErrorCode::InvalidArgument, "--budget " + printable(budget) + ": with --simulate this is a number of evaluations");
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
  auto budget = evaluationsOf(options.budget);
  if (!budget) return report(budget.error());
  auto space = tune::readMeasuredSpace(options.simulate);
  if (!space) return report(space.error());
  const auto run = tune::simulate(*space, **strategy, *budget, options.seed);
  if (options.json) std::puts(jsonOf(options, *space, run).dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  else printRun(options, *space, run);
  return run.best == tune::kFailed ? kUndecided : kPass;
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
  app.add_option("--simulate", options->simulate, "a measured space: Kernel Tuner cache file or T4 results, gzip or plain; no device is used")
      ->type_name("CACHE")->required();
  app.add_option("--strategy", options->strategy, "how to search; see below")->type_name("S")->capture_default_str();
  app.add_option("--budget", options->budget, "how many configurations to evaluate; failed ones count")->type_name("N")->capture_default_str();
  app.add_option("--seed", options->seed, "the same seed and the same times give the same search")->type_name("K")->capture_default_str();
  app.add_flag("--json", options->json, "print JSON");
  app.footer(strategiesText() + "Exit code 5: no configuration worked.\nExample:\n  mneme tune --simulate space.json.gz --strategy auto --budget 100 --json");
  return [options] { return simulate(*options); };
}

}  // namespace mneme::cli
